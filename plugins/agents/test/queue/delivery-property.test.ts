import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { TurnFinished } from "../../src/contract.ts";
import { UNCONFIRMED } from "../../src/live/delivery.ts";
import { AgentsKernel, type TaskView } from "../help/agents-kernel.ts";
import { copyCrashedHome } from "../help/copy-crashed-home.ts";
import { ScriptedCli } from "../help/scripted-cli.ts";
import { temporaryFolder } from "../help/temporary.ts";
import { until } from "../help/wait.ts";

/** What may happen to a daemon, its CLI and a message, in any order. */
const STEPS = [
  "accept",
  "accept",
  "start",
  "close",
  "stop-turn",
  "restart",
  "crash",
  "cli-reads",
  "cli-confirms",
  "cli-promises",
  "cli-works",
  "cli-finishes",
  "cli-ends-a-turn-late",
  "continue",
  "continue-twice",
  "wait",
] as const;

/** The result of a message. */
interface Settled {
  words: string;
  status: string;
  reason: string;
  /** The user stopped its turn. */
  wasStopped: boolean;
}

/** A daemon, its only agent and the agent's CLI. */
class World {
  readonly cli: ScriptedCli;
  readonly #root: string;
  readonly #accepted = new Map<string, string>();
  /** The tasks that continued turns. */
  readonly #continued = new Set<string>();
  /** Turns that were cancelled. */
  readonly #cancelled = new Set<string>();
  #hasStopped = false;
  #agents!: AgentsKernel;
  #id = "";
  #homes = 0;

  constructor(root: string, isReadable: boolean) {
    this.#root = root;
    this.cli = new ScriptedCli({ isReadable });
  }

  async begin(): Promise<void> {
    await this.#boot(join(this.#root, "home-0"));
    this.#id = (await this.#agents.create({ cli: "scripted" })).id;
  }

  async step(name: (typeof STEPS)[number]): Promise<void> {
    const path = `/api/agents/${this.#id}`;
    const { api } = this.#agents.kernel;
    switch (name) {
      case "accept": {
        const words = `message ${this.#accepted.size}`;
        const { taskId } = await this.#agents.prompt(this.#id, words);
        this.#accepted.set(taskId, words);
        return;
      }
      case "start":
        return void (await api.post(`${path}/managed/start`));
      case "close":
        return void (await api.post(`${path}/close`));
      case "stop-turn":
        this.#hasStopped = true;
        return void api.post(`${path}/abort`).catch(() => undefined);
      case "restart":
        return await this.#agents.kernel.restart();
      case "crash":
        return await this.#crash();
      case "cli-reads":
        return this.cli.read();
      case "cli-confirms":
        return this.cli.confirm();
      case "cli-promises":
        // What a CLI without a record promised and forgot, nothing can tell.
        return this.cli.isReadable ? this.cli.promise() : this.cli.confirm();
      case "cli-works":
        return await this.cli.work();
      case "cli-finishes":
        return await this.cli.finish();
      case "cli-ends-a-turn-late":
        return await this.cli.endLate();
      case "continue":
        return await this.#continue(1);
      case "continue-twice":
        return await this.#continue(2);
      case "wait":
        return await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Lets everything come to rest, and gives the result of each message. */
  async rest(): Promise<Settled[]> {
    this.cli.isWilling = true;
    await this.step("cli-finishes");
    await this.step("start");
    const tasks = await until(async () => {
      await this.cli.finish();
      const all = await this.#agents.tasks(this.#id);
      const isOver = all.every(
        ({ status }) => status !== "queued" && status !== "delivering",
      );
      return isOver && (await this.#agents.get(this.#id)).activity === "idle"
        ? all
        : undefined;
    }, "all messages are settled");
    const [accepted, others] = [true, false].map((isAccepted) =>
      tasks.filter(({ id }) => this.#accepted.has(id) === isAccepted),
    ) as [TaskView[], TaskView[]];
    for (const { id } of others) expect(this.#continued).toContain(id);
    const stopped = await this.#stoppedTasks();
    return accepted.map(({ id, status, reason }) => ({
      words: this.#accepted.get(id) ?? "",
      status,
      reason: reason ?? "",
      wasStopped: stopped.has(id),
    }));
  }

  /** The messages of the user in the conversation. */
  async said(): Promise<string[]> {
    const entries = await this.#agents.entries(this.#id);
    return entries
      .filter(({ role }) => role === "user")
      .map(({ text }) => text);
  }

  get accepted(): string[] {
    return [...this.#accepted.values()];
  }

  /** The tasks whose turns the user stopped. To close an agent cancels its turn too. */
  async #stoppedTasks(): Promise<Set<string>> {
    if (!this.#hasStopped) return new Set();
    this.#noteCancelled();
    const entries = await this.#agents.entries(this.#id);
    return new Set(
      entries.flatMap(({ turnId, message }) =>
        this.#cancelled.has(turnId ?? "") ? (message?.taskId ?? []) : [],
      ),
    );
  }

  #noteCancelled(): void {
    for (const { data } of this.#agents.kernel.events.all(TurnFinished))
      if (data.stopReason === "cancelled") this.#cancelled.add(data.turnId);
  }

  /** Requests that the cut-off turn is continued, several times at once. */
  async #continue(clicks: number): Promise<void> {
    const { cutOff } = await this.#agents.get(this.#id);
    if (!cutOff) return;
    const { turnId } = cutOff;
    const answers = await Promise.all(
      Array.from({ length: clicks }, () =>
        this.#agents.kernel.api.post<{ taskId?: string }>(
          `/api/agents/${this.#id}/continue`,
          { turnId },
        ),
      ),
    );
    for (const { status, body } of answers) {
      // The first click may have continued it before the second came.
      expect([200, 409]).toContain(status);
      if (body.taskId !== undefined) this.#continued.add(body.taskId);
    }
    // A prompt that the CLI never had is sent itself; then nothing is added.
    for (const taskId of this.#accepted.keys()) this.#continued.delete(taskId);
  }

  async end(): Promise<void> {
    await this.#agents.kernel.stop();
  }

  async #boot(home: string): Promise<void> {
    await mkdir(home, { recursive: true });
    this.#agents = await AgentsKernel.start({
      home,
      clis: this.cli.clis,
      limits: { abortMs: 100 },
      beside: [this.cli.plugin()],
    });
  }

  /** What is on disk at this moment is what a kill of the daemon leaves. */
  async #crash(): Promise<void> {
    const { home } = this.#agents.kernel;
    const next = join(this.#root, `home-${(this.#homes += 1)}`);
    this.cli.crash();
    this.#noteCancelled();
    copyCrashedHome(home, next);
    const killed = this.#agents;
    await killed.kernel.stop();
    await this.#boot(next);
  }
}

test.each([
  ["a CLI whose record can be read", true],
  ["a CLI without a record", false],
])(
  "%s: each message that was accepted is seen once, and counts as delivered only then",
  async (_, isReadable) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...STEPS), { minLength: 4, maxLength: 14 }),
        async (steps) => {
          const world = new World(await temporaryFolder(), isReadable);
          await world.begin();
          try {
            for (const step of steps) await world.step(step);
            const settled = await world.rest();
            expect(settled.map(({ words }) => words).sort()).toEqual(
              world.accepted.sort(),
            );
            const said = await world.said();
            for (const { words, status, reason, wasStopped } of settled) {
              const count = world.cli.seen.filter((one) => one === words);
              const entries = said.filter((one) => one === words);
              expect(entries.length, `entries of ${words}`).toBeLessThan(2);
              // A message that the user stopped may have been seen or not, but never twice.
              const isUnsure =
                !isReadable && status === "failed" && reason === UNCONFIRMED;
              if (status === "cancelled" || wasStopped || isUnsure)
                expect(count.length, `${words} (${status})`).toBeLessThan(2);
              else
                expect([words, status, count.length], reason).toEqual([
                  words,
                  "delivered",
                  1,
                ]);
            }
          } finally {
            await world.end();
          }
        },
      ),
      { numRuns: runs(25) },
    );
  },
);
