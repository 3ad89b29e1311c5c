import type { Duplex } from "node:stream";
import { workBegan } from "./work-context.ts";

/**
 * Attributes the work that a plugin does with a stream's data to the plugin. Also handles the stream's errors: the
 * other side may close it at any time, which is not an error of the plugin. The stream does not flow before the plugin
 * listens.
 */
export function announceData(stream: Duplex, plugin: string): void {
  stream.on("error", () => {});
  stream.once("newListener", function announce(event) {
    if (event === "data")
      stream.on("data", () => void workBegan.publish({ plugin }));
    else stream.once("newListener", announce);
  });
}
