import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { PluginDefinition } from "@gantry/plugin";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentDriver } from "../src/driver.ts";
import type { CliCommand } from "../src/open-session.ts";
import { DriverBench } from "../testing/driver-bench.ts";
import { RealScreen } from "../testing/real-screen.ts";
import { until } from "../testing/wait.ts";

/** A request that a model server received. */
interface AskedModels {
  readonly requests: readonly {
    prompt: string;
    /** Not part of the conversation, for example a request for a title. */
    side: boolean;
    outcome: string;
  }[];
}

/** A real CLI with a screen. */
export interface ScreenSubject {
  name: string;
  /** Plugins on the bench, whose CLIs {@link DriverBench.driverOf} returns. */
  plugins?: readonly PluginDefinition[];
  prepare: (
    bench: DriverBench,
  ) => Promise<{ driver: AgentDriver; command: Partial<CliCommand> }>;
  models: AskedModels;
  /** Text on the screen when it accepts keys. */
  ready: string;
  /** The id of a new conversation is known before the screen starts. */
  knowsFresh: boolean;
  /** Completes the dialogs of a folder's first screen. */
  settle?: (screen: RealScreen) => Promise<void>;
  prepareFolder?: (cwd: string) => Promise<void>;
}

const NEVER = new AbortController().signal;

/** The daemon's side of a receiver, with one message to deliver. */
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
      // The second hello stays open, as a long poll does.
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

/** Tests for the screen of every real CLI. */
export function testScreens(subject: ScreenSubject): void {
  describe(`${subject.name}: screens`, () => {
    let bench: DriverBench;
    let driver: AgentDriver;
    let command: Partial<CliCommand>;

    beforeAll(async () => {
      bench = await DriverBench.start(subject.plugins);
      ({ driver, command } = await subject.prepare(bench));
    });
    afterAll(() => bench.stop());

    const receiver = { url: "http://127.0.0.1:9/x", token: "t0k" };
    const hasReceived = (prompt: string) =>
      subject.models.requests.some(
        (request) =>
          request.prompt.includes(prompt) &&
          !request.side &&
          request.outcome === "answered",
      );

    test("a conversation continues on the screen, and back", async () => {
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
          hasReceived("typed words"),
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
      "a conversation that was begun on the screen is gone on with",
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
            hasReceived("fresh words"),
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
