import { createCommand } from "../command-line/create-command.ts";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { loadConfig } from "@gantry/kernel/config/config";
import type { Flags } from "@gantry/kernel/config/config";
import { containFaults } from "../contain-faults.ts";
import type { FaultHost } from "@gantry/kernel/kernel-options";
import { completePath } from "@gantry/system/processes/complete-path";
import { restartKernel, startKernel } from "@gantry/kernel/kernel";
import type { Kernel } from "@gantry/kernel/kernel";
import { runRehearsal } from "../rehearsal/run-rehearsal.ts";
import { listenForShutdown } from "@gantry/system/shutdown/shutdown";
import type { Shutdown } from "@gantry/system/shutdown/shutdown";
import { openInBrowser } from "@gantry/system/processes/open-in-browser";
import { version } from "@gantry/kernel/version";
import { deliveredPlugins } from "./delivered-plugins.ts";

/** Time that children get to be gone when the daemon has to end before its clean stop is over. */
const LAST_KILL_MS = 200;

/** Runs the daemon until it is stopped. */
export const serve = createCommand(
  "serve",
  "Run the daemon",
  {
    host: {
      type: "string",
      description: "Address to listen on (default: this machine only)",
    },
    port: {
      type: "string",
      description: "Port (default 7420, or the next free one)",
    },
    plugins: {
      type: "string",
      description: "Ids of the plugins to run, with commas (default: all)",
    },
    safe: { type: "boolean", description: "Run the kernel without any plugin" },
    "public-url": {
      type: "string",
      description: "Address under which others reach this daemon",
    },
    https: {
      type: "boolean",
      description:
        "Serve HTTPS, with a certificate of its own unless one is configured",
    },
    insecure: {
      type: "boolean",
      description: "Allow plain HTTP beyond this machine",
    },
    open: {
      type: "boolean",
      description: "Open the pairing link in the browser",
    },
    log: { type: "string", description: "debug, info, warn, error or silent" },
    json: {
      type: "boolean",
      description: "Print one line of JSON when it serves, and nothing else",
    },
  },
  async (args) => {
    const shutdown = listenForShutdown(process);
    outliveReaders();
    // The start files of a shell may take their time, and only plugins start programs.
    const ready = completePath(process.env);
    const load = () => loadConfig(args as Flags, process.env);
    let endContainment = () => {};
    const options = {
      clock: createSystemClock(),
      sink: (line: string) => process.stderr.write(`${line}\n`),
      version,
      beforePlugins(host: FaultHost) {
        endContainment();
        endContainment = containFaults(host);
      },
      signal: shutdown.signal,
      ready,
      reloadConfig: load,
      rehearse: runRehearsal,
      builtinPlugins: deliveredPlugins(),
    };
    /** Waits for a start. What one that was interrupted had opened is closed by then. */
    const started = (starting: Promise<Kernel>) =>
      starting.catch((error: unknown) => {
        if (shutdown.signal.aborted) process.exit(0);
        throw error;
      });
    let kernel = await started(
      startKernel({ ...options, config: await load() }),
    );
    printWelcome(kernel, args.json);
    for (;;) {
      const release = stopOn(shutdown, kernel);
      await kernel.replaced;
      release();
      kernel = await started(restartKernel(kernel, options));
      printReplaced(kernel, args.json);
    }
  },
);

/**
 * Ignores errors of stdout and stderr: their reader, such as a terminal, may close while the daemon keeps running. Otherwise each
 * line without a reader would be a fault of the kernel, which logs one more line.
 */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", () => {});
}

/**
 * Ends the process when that is asked for, or when the store is lost.
 *
 * @returns takes that back, for a kernel that is handed over
 */
function stopOn(shutdown: Shutdown, kernel: Kernel): () => void {
  const { signal, overdue } = shutdown;
  let isReleased = false;
  const stop = () => {
    overdue.addEventListener("abort", () => {
      void kernel.killChildren();
      setTimeout(() => process.exit(1), LAST_KILL_MS);
    });
    void kernel.stop(shutdown.deadline()).then(() => process.exit(0));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop);
  void kernel.foundation.storeLost.then(async (error) => {
    if (isReleased) return;
    console.error(`gantry: ${error.message}`);
    await kernel.stop(shutdown.deadline());
    process.exit(error.exitCode);
  });
  return () => {
    isReleased = true;
    signal.removeEventListener("abort", stop);
  };
}

/** What a program that started the daemon reads, in one line. */
function readyLine(kernel: Kernel, more: object): string {
  const { url, port } = kernel;
  return JSON.stringify({ ready: true, url, pid: process.pid, port, ...more });
}

function printWelcome(kernel: Kernel, isJson = false): void {
  const { config } = kernel;
  const { url: pairUrl } = kernel.pair();
  if (config.open) openInBrowser(pairUrl);
  if (isJson) return console.log(readyLine(kernel, { pairUrl }));
  const other = pairUrl
    .replace("//gantry.localhost", "//127.0.0.1")
    .replace("/pair#", "/pair?here#");
  const lines = [
    "",
    `  Gantry ${version} serves ${kernel.url}`,
    `  It listens on ${kernel.addresses.join(" and ")}, port ${kernel.port}. Home: ${config.home}`,
    "",
    "  Open this link once to pair your browser (good for 10 minutes, once):",
    "",
    `    ${pairUrl}`,
    "",
    ...(config.publicUrl
      ? []
      : [`  If your browser does not know that name: ${other}`]),
    "  A new link, with a QR code: gantry pair (in a checkout: npm run gantry -- pair)",
    "",
  ];
  if (config.insecure)
    lines.push(
      "  WARNING: plain HTTP beyond this machine. Anyone on the way can read and replay your session.",
      "",
    );
  for (const { id, state, reason } of kernel.plugins.list()) {
    if (state !== "active")
      lines.push(
        `  The plugin "${id}" is ${state}: ${reason ?? "no reason known"}`,
      );
  }
  console.log(lines.join("\n"));
}

/** Reports that the home was replaced. Browsers have to be paired again only if their sessions were ended with it. */
function printReplaced(kernel: Kernel, isJson = false): void {
  const { replacement } = kernel.foundation;
  const isUnpaired =
    replacement?.failure === null && !replacement.keepsSessions;
  const pairing = isUnpaired ? { pairUrl: kernel.pair().url } : {};
  if (isJson) {
    const failure = replacement?.failure ?? null;
    const line = readyLine(kernel, { replaced: true, failure, ...pairing });
    return console.log(line);
  }
  console.log(
    replacement?.failure
      ? `  The home is as it was before: ${replacement.failure}`
      : "  The home was replaced by a copy.",
  );
  if (pairing.pairUrl)
    console.log(
      `  Open this link once to pair your browser (good for 10 minutes, once):\n\n    ${pairing.pairUrl}\n`,
    );
}
