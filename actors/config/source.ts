/**
 * Where the configuration reader sees the world through.
 * @module
 */

/** The file, the environment and the places that a configuration is made from. */
export interface ConfigSource {
  /** The file's text, or null when there is no such file. Rejects when it cannot be read. */
  readTextFile(path: string): Promise<string | null>;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path that `~` stands for. */
  readonly homeDir: string;
  /** Absolute path that relative paths of flags and variables start from. */
  readonly cwd: string;
}
