/**
 * What all search services have in common: a request, and how to read its answer.
 * @module
 */

import { GatewayError } from "../../kernel/errors.ts";
import type { ToolRequest } from "../tool.ts";

/** The services. */
export type SearchProvider = "brave" | "tavily" | "duckduckgo" | "searxng" | "jina" | "kagi";

/** What was found, as the service wrote it: markup included. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What is asked. */
export interface SearchWish {
  readonly query: string;
  /** 1 to 10. */
  readonly count: number;
}

/** One service, ready to be asked. */
export interface SearchBackend {
  readonly provider: SearchProvider;
  request(wish: SearchWish): ToolRequest;
  /** @throws {SearchError} for an answer that is not what the service documents */
  read(answer: string): readonly SearchHit[] | Promise<readonly SearchHit[]>;
}

/** A service could not search, in words that go on after "failed: ". */
export class SearchError extends GatewayError {
  override readonly name = "SearchError";
  readonly code = "search_failed";
  readonly recovery = "retry";
}

/** Longest answer that is read. */
export const ANSWER_BYTES_MAX: number = 2 * 1_048_576;
