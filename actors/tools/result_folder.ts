/**
 * Where long results of tools lie: each session has a folder of its own, its bucket.
 * @module
 */

/** The folder of all buckets, below the workspace. */
export const RESULTS_FOLDER = ".nanobot/tool-results";

/** The name of a session's bucket, which no other session has. */
export function bucketName(sessionKey: string): string {
  return sessionKey.toWellFormed()
    // What looks like an escape is escaped itself: `a:b` and `a_3Ab` are two sessions.
    .split(/_(?=[0-9A-F]{2})/)
    .map((part) => encodeURIComponent(part).replaceAll("%", "_").replaceAll("*", "_2A"))
    .join("_5F");
}
