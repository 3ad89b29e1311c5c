import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelServer } from "@gantry/model-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentDriver, CliCommand } from "../../src/driver.ts";
import { DriverBench } from "../help/driver-bench.ts";
import { RealScreen } from "../help/real-screen.ts";
import { until } from "../help/wait.ts";

/** A real CLI with a screen. */
export interface ScreenSubject {
  name: string;
  prepare: (
    bench: DriverBench,
  ) => Promise<{ driver: AgentDriver; command: Partial<CliCommand> }>;
  models: ModelServer;
  /** What is on the screen when it takes keys. */
  ready: string;
  /** The id of a fresh conversation is known before the screen runs. */
  knowsFresh: boolean;
  /** Does what is to be done before a folder's first screen. */
  settle?: (screen: RealScreen) => Promise<void>;
  prepareFolder?: (cwd: string) => Promise<void>;
}

const NEVER = new AbortController().signal;

/** The daemon's side of a receiver, with one message to give. */
async function startReceiver(text: string) {
  const acks: unknown[] = [];
  const hellos: unknown[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as unknown;
      response.setHeader("content-type", "application/json");
      if (request.url?.endsWith("tui-ack")) {
        acks.push(body);
        return response.end('{"ok":true}');
      }
      hellos.push(body);
      // The second hello waits, as a long poll does.
      if (hellos.length === 1)
        response.end(
          JSON.stringify({ ok: true, messages: [{ nonce: "n1", text }] }),
        );
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/agents/agt_x`,
    acks,
    hellos,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What the screen of every real CLI must do. */
export function testScreens(subject: ScreenSubject): void {
  describe(`${subject.name}: screens`, () => {
    let bench: DriverBench;
    let driver: AgentDriver;
    let command: Partial<CliCommand>;

    beforeAll(async () => {
      bench = await DriverBench.start();
      ({ driver, command } = await subject.prepare(bench));
    });
    afterAll(() => bench.stop());

    const receiver = { url: "http://127.0.0.1:9/x", token: "t0k" };
    const heard = (prompt: string) =>
      subject.models.requests.some(
        (request) =>
          request.prompt.includes(prompt) &&
          !request.side &&
          request.outcome === "answered",
      );

    test("a conversation continues in the screen, and back", async () => {
      const input = await bench.input(command);
      await subject.prepareFolder?.(input.cwd);
      const open = await bench.open(driver, input);
      await open.turn("first words [[reply:the first answer]]");
      await open.session.end();
      const messages = await startReceiver("sent words [[reply:sent answer]]");
      const shown = await driver.screen?.(
        {
          ...input,
          receiver: { ...receiver, url: messages.url },
          resume: open.resumePoint(),
        },
        NEVER,
      );
      if (!shown) throw new Error("It has no screen.");
      const screen = new RealScreen(shown, input.cwd);
      try {
        await subject.settle?.(screen);
        await screen.shows("the first answer");
        if (shown.hasReceiver) {
          await until(() => messages.acks.length > 0, "it was confirmed");
          expect(messages.acks[0]).toEqual({ nonce: "n1", ok: true });
          expect(messages.hellos[0]).toMatchObject({
            sessionId: shown.session?.sessionId,
          });
          await screen.shows("sent answer");
        }
        await screen.paste("typed words [[reply:typed answer]]", () =>
          heard("typed words"),
        );
      } finally {
        await screen.end();
        messages.close();
      }
      const { sessionId = "", resumeKey = null } = shown.session ?? {};
      const back = await bench.open(driver, {
        ...input,
        resume: { sessionId, resumeKey, reportedCostUsd: null, fork: null },
      });
      const { answer } = await back.turn("[[recall]]");
      expect(answer).toContain("first words");
      expect(answer).toContain("typed words");
      await back.session.end();
    });

    test.runIf(subject.knowsFresh)(
      "a conversation that was begun in the screen is continued",
      async () => {
        const input = await bench.input(command);
        await subject.prepareFolder?.(input.cwd);
        const shown = await driver.screen?.({ ...input, receiver }, NEVER);
        if (!shown) throw new Error("It has no screen.");
        const screen = new RealScreen(shown, input.cwd);
        try {
          await subject.settle?.(screen);
          await screen.shows(subject.ready);
          await screen.paste("fresh words [[reply:fresh answer]]", () =>
            heard("fresh words"),
          );
        } finally {
          await screen.end();
        }
        const { sessionId = "", resumeKey = null } = shown.session ?? {};
        const back = await bench.open(driver, {
          ...input,
          resume: { sessionId, resumeKey, reportedCostUsd: null, fork: null },
        });
        expect(back.session.sessionId).toBe(sessionId);
        expect((await back.turn("[[recall]]")).answer).toContain("fresh words");
        await back.session.end();
      },
    );
  });
}
