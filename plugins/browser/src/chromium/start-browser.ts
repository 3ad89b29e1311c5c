import { isGantryError } from "@gantry/plugin";
import type { Clock, Log, Run, RunningProcess } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { PipeConnection } from "../protocol/pipe-connection.ts";
import { checkFlags, toFlags } from "./flags.ts";
import type { PreparedProfile } from "./profiles.ts";

/** How long a browser may take to answer; the first start on a busy machine creates a whole profile. */
const MAX_START_MS = 45_000;
/** How long a browser may take to write its profile and end. */
const MAX_CLOSE_MS = 5_000;
/** How much of the newest error output is kept, to explain a start that fails. */
const MAX_OUTPUT_CHARS = 8_192;

/** Options of {@link startBrowser}. */
export interface StartOptions {
  run: Run;
  clock: Clock;
  log: Log;
  command: string;
  hasSandbox: boolean;
  profile: PreparedProfile;
  profileId: string;
  proxyPort: number;
}

/** A Chromium that has started and responds. */
export interface StartedBrowser {
  protocol: PipeConnection;
  process: RunningProcess;
  version: string;
  /** Folder that it writes downloads to. */
  downloadFolder: string;
  /** Whether it runs under another account than the daemon. */
  isForeign: boolean;
  /** Ends the browser after it has written its profile; after 5 s its whole process tree is killed. */
  close(): Promise<void>;
}

/**
 * Starts a Chromium over a pipe and checks that it runs with the flags that keep it behind its proxy.
 *
 * @throws `BROWSER_FAILED` (502), `BROWSER_SANDBOX` (503)
 */
export async function startBrowser(
  options: StartOptions,
): Promise<StartedBrowser> {
  const { profile } = options;
  const flags = toFlags({
    profileFolder: profile.folder,
    proxyPort: options.proxyPort,
    hasSandbox: options.hasSandbox,
  });
  const process = await options.run(options.command, flags, {
    cwd: profile.folder,
    pipes: 2,
    ...(profile.user === undefined ? {} : { user: profile.user }),
    // A browser under another account cannot use the daemon's home, and no browser should use the user's.
    env: { HOME: profile.folder, XDG_CONFIG_HOME: undefined },
    subject: { type: "browser", id: options.profileId },
  });
  const output = keepOutput(process);
  const [write, read] = process.pipes;
  if (!write || !read) throw new TypeError("The kernel made no pipes.");
  const protocol = new PipeConnection({
    read,
    write,
    onFault: (error) =>
      options.log.error("Browser event failed", { error: String(error) }),
  });
  const stopTimer = options.clock.after(MAX_START_MS, () => protocol.close());
  try {
    const { product } = await protocol.send<{ product: string }>(
      "Browser.getVersion",
    );
    await verifyFlags(protocol, flags);
    return {
      protocol,
      process,
      version: product.replace(/^.*\//, ""),
      downloadFolder: profile.downloadFolder,
      isForeign: profile.user !== undefined,
      close: () => closeBrowser(protocol, process, options.clock),
    };
  } catch (cause) {
    await process.kill();
    protocol.close();
    throw describeFailure(output(), cause);
  } finally {
    stopTimer();
  }
}

function keepOutput(process: RunningProcess): () => string {
  let text = "";
  process.stdout.resume();
  process.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-MAX_OUTPUT_CHARS);
  });
  return () => text;
}

async function verifyFlags(
  protocol: PipeConnection,
  given: readonly string[],
): Promise<void> {
  const { arguments: actual } = await protocol.send<{ arguments: string[] }>(
    "Browser.getBrowserCommandLine",
  );
  const fault = checkFlags(actual, given);
  if (fault !== null)
    throw errors.BROWSER_FAILED({
      reason: `The browser cannot be secured: ${fault}. A wrapper script or a flags file of this system sets it; name another browser in settings.browser.command.`,
    });
}

async function closeBrowser(
  protocol: PipeConnection,
  process: RunningProcess,
  clock: Clock,
): Promise<void> {
  // It is rejected if the browser ends before it answers.
  protocol.send("Browser.close").catch(() => {});
  const timeout = Promise.withResolvers<void>();
  const stopTimer = clock.after(MAX_CLOSE_MS, timeout.resolve);
  await Promise.race([process.exited, timeout.promise]);
  stopTimer();
  protocol.close();
  await process.end();
}

const SANDBOX_FAULTS: readonly [RegExp, string][] = [
  [
    /without --no-sandbox is not supported/,
    "it refuses to run as root. Run the daemon as an ordinary user",
  ],
  [
    /No usable sandbox|Failed to move to new namespace|setuid sandbox|CanCreateProcessInNewUserNS/i,
    "this system allows it no user namespaces. Allow them (on Ubuntu an AppArmor profile for the browser, in a container --security-opt seccomp=unconfined)",
  ],
];

function describeFailure(output: string, cause: unknown): unknown {
  const sandbox = SANDBOX_FAULTS.find(([pattern]) => pattern.test(output));
  if (sandbox)
    return errors.BROWSER_SANDBOX(
      {
        reason: `${sandbox[1]}, or set settings.browser.sandbox to "off" and accept that a page may break out.`,
      },
      { cause },
    );
  const isGone = isGantryError(cause) && cause.code === "BROWSER_GONE";
  if (isGantryError(cause) && !isGone) return cause;
  if (!isGone)
    return errors.BROWSER_FAILED(
      {
        reason:
          "The browser gave answers that no Chromium gives; name another one in settings.browser.command.",
      },
      { cause },
    );
  const last = output
    .trim()
    .split("\n")
    .at(-1)
    // Answers name no path of this machine.
    ?.replace(/\/[^\s:'"]+/g, "…")
    .slice(0, 300);
  return errors.BROWSER_FAILED(
    {
      reason: `The browser ended or did not answer as it started.${last ? ` It said: ${last}` : ""}`,
    },
    { cause },
  );
}
