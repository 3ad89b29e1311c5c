import type { PluginCommand } from "@gantry/plugin";
import { joinSocket } from "../join/join-socket.ts";

/** `gantry browser tools` */
export const toolsCommand: PluginCommand = {
  description:
    "Serve the browser to the CLI of an agent, over standard input and output",
  run: async ({ signal }) =>
    await joinSocket({
      env: process.env,
      input: process.stdin,
      output: process.stdout,
      signal,
    }),
};
