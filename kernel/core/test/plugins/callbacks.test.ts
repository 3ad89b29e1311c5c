import { fileURLToPath } from "node:url";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, test, vi } from "vitest";
import { listContractCallbacks } from "../support/contract-callbacks.ts";
import { pluginCode, putPlugin, startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import {
  FAULTY_CALLBACKS,
  MODES,
  PREAMBLE,
} from "../support/faulty-callbacks.ts";
import type { FaultyCallback, Mode } from "../support/faulty-callbacks.ts";

const ENTRY = fileURLToPath(
  new URL("../support/run-on-fake-clock.ts", import.meta.url),
);

test("there is a faulty plugin for each callback that the contract has", () => {
  expect(Object.keys(FAULTY_CALLBACKS).sort()).toEqual(listContractCallbacks());
});

/** Puts a plugin into a home that misbehaves at one place. */
async function putFaulty(
  home: string,
  id: string,
  { setup, definition = "", other }: FaultyCallback,
  mode: Mode,
): Promise<void> {
  const before = `const ID = ${JSON.stringify(id)};\n${PREAMBLE}\nconst fault = () => { ${MODES[mode]} };`;
  const write = (name: string, own: string, body: string) =>
    putPlugin(
      home,
      name,
      pluginCode(name, body, before).replace(
        "async setup",
        `${own} async setup`,
      ),
    );
  await write(id, definition, setup);
  if (other) await write(`${id}-other`, other.definition, other.setup);
}

/** The lines that report a plugin's fault under its name. */
const faultsOf = (daemon: Daemon, id: string) =>
  daemon
    .log()
    .filter(
      (line) =>
        /Fault of ([\w-]+)/.exec(
          `${String(line.cause)} ${String(line.reason)}`,
        )?.[1] === id,
    );

test.each(cases(Object.keys(MODES) as Mode[]))(
  "a callback that %s is named with its plugin, and the daemon continues",
  async (mode) => {
    const home = await temporaryFolder();
    const callbacks = Object.entries(FAULTY_CALLBACKS).map(
      ([name, callback], at) => ({ id: `place-${at}`, name, callback }),
    );
    for (const { id, callback } of callbacks)
      await putFaulty(home, id, callback, mode);
    const daemon = await startDaemon(home, [], { entry: ENTRY });
    for (const { id, callback } of callbacks) {
      const { provoke = () => daemon.call(`/api/${id}`) } = callback;
      await Promise.resolve(provoke({ daemon, home, id })).catch(() => {});
    }
    for (const { id, name, callback } of callbacks) {
      if (callback.isNeverCalled) {
        expect(faultsOf(daemon, id), name).toEqual([]);
        continue;
      }
      await vi.waitFor(() =>
        expect(faultsOf(daemon, id), name).not.toHaveLength(0),
      );
      for (const { from, plugin } of faultsOf(daemon, id))
        expect(
          [from, plugin].some(
            (owner) => owner === id || owner === `${id}-other`,
          ),
          `${name}: ${String(from)}, ${String(plugin)}`,
        ).toBe(true);
    }
    expect((await daemon.call("/api/auth/session")).status).toBe(200);
    daemon.kill();
    expect((await daemon.ended).code).toBe(0);
  },
);
