/**
 * The channels' Worker with a way to break it from outside: what a test posts on the
 * BroadcastChannel `test.worker_faults` happens in here.
 * @module
 */

const faults = new BroadcastChannel("test.worker_faults");
faults.onmessage = ({ data }: MessageEvent<unknown>) => {
  switch (data) {
    case "throw":
      setTimeout(() => {
        throw new Error("planted fault");
      }, 0);
      return;
    case "reject":
      void Promise.reject(new Error("planted fault"));
      return;
    case "exit":
      return Deno.exit(3);
    case "close":
      self.close();
  }
};

await import("../../channels/worker_entry.ts");
