import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  loadConfig,
  rehearseHome,
  restartKernel,
  startKernel,
} from "@gantry/kernel";
import type { Config, Kernel, KernelOptions } from "@gantry/kernel";
import type { Clock, PluginDefinition } from "@gantry/plugin";
import doctor from "@gantry/plugin-doctor";
import { createShellPlugin } from "@gantry/plugin-shell";
import { createEventRecorder } from "./event-recorder.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { createFakeClock } from "./fake-clock.ts";
import type { FakeClock } from "./fake-clock.ts";
import { inspectAnswers } from "./inspect-answers.ts";
import { createTestClient } from "./test-client.ts";
import type { TestClient } from "./test-client.ts";

/** How a test kernel differs from the usual one. */
export interface TestKernelOptions {
  /** Settings of plugins, by id. */
  settings?: Record<string, unknown>;
  /** Further configuration. */
  config?: Partial<Config>;
  /** A clock of the test's own; a fake one unless given. */
  clock?: Clock;
  /** When the fake clock starts. */
  startAt?: string;
  /** Home to start on, for a test of what is there already; a fresh one, removed at the end, unless given. */
  home?: string;
  /** Plugin folders to discover, as `kernel/plugins` is. */
  pluginFolder?: string;
  /** Folder `dist` of a built `@gantry/shell`; no pages are served without it. */
  shell?: string;
}

/** A whole kernel with chosen plugins, on a random port and a home of its own. */
export interface TestKernel {
  /** The daemon itself, for what cannot be observed through HTTP, events or the log. Another one after a restart. */
  readonly kernel: Kernel;
  /** Absolute path of its folder. */
  readonly home: string;
  /** Origin that it serves on, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Stands still until a test advances it; without effect if another clock was given. */
  readonly clock: FakeClock;
  /** Events stored since the start of the test. */
  readonly events: EventRecorder;
  /** A paired caller. */
  readonly api: TestClient;
  /** A caller without any credential. */
  readonly stranger: TestClient;
  /** Lines of the log, parsed. */
  readonly log: Record<string, unknown>[];
  /** Addresses of host names, in lower case, for `connect` of plugins. Other names are looked up. */
  readonly names: Map<string, readonly string[]>;
  /** Says that lines of level error whose text fits are part of the test. All others make {@link stop} reject. */
  expectFault(pattern: RegExp): void;
  /** Makes another paired caller. */
  pairAs(
    device: string,
  ): Promise<{ client: TestClient; sessionId: string; cookie: string }>;
  /**
   * Resolves when the daemon serves again after its home was replaced, which it does by itself, under the same address. To be
   * called before the replacement is asked for.
   */
  replaced(): Promise<void>;
  /** Stops the daemon and starts it again on the same home, with the same plugins. */
  restart(): Promise<void>;
  /** Stops it and removes its home. Rejects if the log has faults that the test did not expect. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a kernel with these plugins.
 *
 * @example
 * await using kernel = await startTestKernel([notes]);
 * const { status } = await kernel.api.post("/api/notes", { title: "Milk" });
 */
export async function startTestKernel(
  plugins: readonly PluginDefinition[],
  options: TestKernelOptions = {},
): Promise<TestKernel> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), "gantry-test-")));
  const fakeClock = createFakeClock(options.startAt);
  const clock = options.clock ?? fakeClock;
  const log: Record<string, unknown>[] = [];
  const expected: RegExp[] = [];
  const names = new Map<string, readonly string[]>();
  let token = "";
  let kernel: Kernel;
  let subscriber: Parameters<typeof createEventRecorder>[0] extends (
    receive: infer Receive,
  ) => void
    ? Receive
    : never;
  const events = createEventRecorder((receive) => (subscriber = receive));

  async function load(): Promise<Config> {
    const config = await loadConfig({ home, port: "0", log: "debug" }, {});
    const settings = { ...config.settings, ...options.settings };
    return { ...config, settings, ...options.config };
  }

  const version = "0.0.0-test";
  const kernelOptions: Omit<KernelOptions, "config"> = {
    clock,
    sink: (line: string) =>
      log.push(JSON.parse(line) as Record<string, unknown>),
    version,
    builtinPlugins: options.pluginFolder,
    systemDefinitions: [doctor, createShellPlugin(() => options.shell)],
    definitions: plugins,
    inspect: inspectAnswers({
      home,
      fault: (message) => void log.push({ level: "error", message }),
    }),
    resolveName: (name: string) => names.get(name.toLowerCase()),
    // What a clock that is moved sets off is written in the next turn, however busy the disk is.
    sync: () => Promise.resolve(),
    leaseTimes: { settleMs: 0 },
    reloadConfig: load,
    // In this process, which keeps less from the plugins than one of its own.
    rehearse: (copy, order, signal) =>
      rehearseHome(copy, order, signal, { version, definitions: plugins }),
  };
  /** Resolves when the kernel has been started again because its home was replaced. */
  let again: Promise<void>;
  let restarting: Promise<unknown> = Promise.resolve();
  let isStopped = false;

  function follow(started: Kernel): void {
    kernel = started;
    kernel.foundation.core.subscribe((batch) => subscriber(batch));
    again = kernel.replaced.then(async () => {
      if (isStopped) return;
      const restarted = restartKernel(started, kernelOptions);
      restarting = restarted;
      follow(await restarted);
    });
    again.catch(() => {});
  }

  const start = async () =>
    follow(await startKernel({ ...kernelOptions, config: await load() }));
  await start();
  const base = () => `http://127.0.0.1:${kernel.port}`;
  const cookieHeader = (value: string) => ({
    cookie: `gantry_session=${value}`,
    origin: base(),
  });
  ({ token } = await kernel!.http.sessions.create("Test", "127.0.0.1"));

  function checkFaults(): void {
    const faults = log.filter(
      ({ level, message, cause }) =>
        level === "error" &&
        !expected.some((pattern) =>
          pattern.test(`${String(message)} ${String(cause)}`),
        ),
    );
    if (faults.length === 0) return;
    throw new Error(
      `The log has unexpected faults:\n${faults.map((fault) => JSON.stringify(fault, null, 2)).join("\n")}`,
    );
  }

  async function stop(): Promise<void> {
    isStopped = true;
    await restarting;
    await kernel.stop();
    if (options.home === undefined)
      await rm(home, { recursive: true, force: true });
    checkFaults();
  }

  return {
    get kernel() {
      return kernel;
    },
    get url() {
      return base();
    },
    home,
    clock: fakeClock,
    events,
    log,
    names,
    api: createTestClient(base, () => cookieHeader(token)),
    stranger: createTestClient(base, () => ({})),
    expectFault: (pattern) => void expected.push(pattern),
    async pairAs(device) {
      const created = await kernel.http.sessions.create(device, "127.0.0.1");
      const client = createTestClient(base, () => cookieHeader(created.token));
      return {
        client,
        sessionId: created.session.id,
        cookie: `gantry_session=${created.token}`,
      };
    },
    replaced: () => again,
    async restart() {
      await kernel.stop();
      await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
