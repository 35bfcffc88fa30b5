/**
 * Metrics as Prometheus reads them (text format 0.0.4). Nothing else here knows of Prometheus.
 * @module
 */

import { Histogram, type Metric, type MetricName } from "./metric.ts";

/** What the text is, for the header of an answer. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** All of them as one text. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics.map((metric) => {
    const { name, help } = metric.metric;
    const head = `# HELP ${name} ${help}\n# TYPE ${name} ${metric.type}\n`;
    const lines = metric instanceof Histogram ? histogramLines(metric) : plainLines(metric);
    return head + lines.map((line) => `${line}\n`).join("");
  }).join("");
}

function plainLines(metric: Exclude<Metric, Histogram>): string[] {
  const { name } = metric.metric;
  return metric.samples().map(({ labels, value }) =>
    `${name}${labelled(metric.metric, labels)} ${value}`
  );
}

function histogramLines(histogram: Histogram): string[] {
  const { metric, bounds } = histogram;
  return histogram.distributions().flatMap(({ labels, counts, sum }) => {
    const buckets = counts.map((count, index) => {
      const bound = `le="${bounds[index] ?? "+Inf"}"`;
      return `${metric.name}_bucket${labelled(metric, labels, bound)} ${count}`;
    });
    const own = labelled(metric, labels);
    const total = counts.at(-1) ?? 0;
    return [...buckets, `${metric.name}_sum${own} ${sum}`, `${metric.name}_count${own} ${total}`];
  });
}

function labelled({ labels }: MetricName, values: readonly string[], more = ""): string {
  const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? "")}"`);
  const all = more === "" ? pairs : [...pairs, more];
  return all.length === 0 ? "" : `{${all.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
