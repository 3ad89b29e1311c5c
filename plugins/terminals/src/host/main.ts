#!/usr/bin/env node
import { parseArgs } from "node:util";
import { serveHost } from "./host-server.ts";
import { loadPty } from "./pty-module.ts";

const { values } = parseArgs({
  options: {
    /** Where the daemon finds this process. */
    socket: { type: "string" },
    /** The folder of the plugin; when it goes, so do the terminals. */
    folder: { type: "string" },
    /** Without a daemon and without a terminal it ends after so long. */
    "idle-ms": { type: "string", default: "60000" },
  },
});

await serveHost({
  socket: values.socket ?? "",
  folder: values.folder ?? "",
  idleMs: Number(values["idle-ms"]),
  loaded: await loadPty(),
});
