/**
 * Numbers that grow: counters and histograms with labels. However many values a label takes, the
 * memory has a bound.
 * @module
 */

/** Sets of labels that one metric keeps; what comes later is counted together under `other`. */
const SERIES_MAX = 200;
/** What stands for all values beyond the bound. */
const OTHER = "other";

/** Values of the labels, in their order. */
type LabelValues = readonly string[];

/** One number, or the numbers of one histogram, with its labels. */
export interface Sample {
  readonly labels: LabelValues;
  readonly value: number;
}

/** A histogram's numbers. */
export interface Distribution {
  readonly labels: LabelValues;
  /** How many were at most as large as the bound of the same place; the last has no bound. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** What a metric is called, and what its labels are. */
export interface MetricName {
  /** With its unit at the end. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** The series of one metric. */
class Series<T> {
  readonly #byKey = new Map<string, { readonly labels: LabelValues; readonly value: T }>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  of(labels: LabelValues): T {
    const key = labels.join("\u0000");
    const known = this.#byKey.get(key);
    if (known !== undefined) return known.value;
    const isFull = this.#byKey.size >= SERIES_MAX;
    if (isFull && labels.some((value) => value !== OTHER)) return this.of(labels.map(() => OTHER));
    const value = this.#make();
    this.#byKey.set(key, { labels, value });
    return value;
  }

  entries(): Iterable<{ readonly labels: LabelValues; readonly value: T }> {
    return this.#byKey.values();
  }
}

/** A number for each set of labels that never falls. */
export class Counter {
  readonly type = "counter";
  readonly metric: MetricName;
  readonly #series = new Series(() => ({ count: 0 }));

  constructor(metric: MetricName) {
    this.metric = metric;
  }

  /** @param by at least 0 */
  add(labels: LabelValues, by: number = 1): void {
    this.#series.of(labels).count += by;
  }

  samples(): Sample[] {
    return [...this.#series.entries()].map(({ labels, value }) => ({ labels, value: value.count }));
  }
}

/** How durations are spread, for each set of labels. */
export class Histogram {
  readonly type = "histogram";
  readonly metric: MetricName;
  /** Upper bounds, rising. */
  readonly bounds: readonly number[];
  readonly #series: Series<{ readonly counts: number[]; sum: number }>;

  constructor(metric: MetricName, bounds: readonly number[]) {
    this.metric = metric;
    this.bounds = bounds;
    const buckets = bounds.length + 1;
    this.#series = new Series(() => ({ counts: new Array<number>(buckets).fill(0), sum: 0 }));
  }

  observe(labels: LabelValues, value: number): void {
    const series = this.#series.of(labels);
    const found = this.bounds.findIndex((bound) => value <= bound);
    const at = found === -1 ? this.bounds.length : found;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += value;
  }

  distributions(): Distribution[] {
    return [...this.#series.entries()].map(({ labels, value: { counts, sum } }) => {
      let total = 0;
      return { labels, counts: counts.map((count) => total += count), sum };
    });
  }
}

/** A number for each set of labels as it is now. */
export interface Gauge {
  readonly type: "gauge" | "counter";
  readonly metric: MetricName;
  samples(): readonly Sample[];
}

/** Whatever can be told of. */
export type Metric = Counter | Histogram | Gauge;
