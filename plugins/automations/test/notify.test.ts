import { hostname } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { NotifyFailed } from "../src/contract.ts";
import { takeCrashImage } from "./support/crash-image.ts";
import { startChat, startReceiver } from "./support/receivers.ts";
import type { Message, Receiver } from "./support/receivers.ts";
import { startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const SECRET = "c2VjcmV0";

/** Runs an automation to its end. */
async function runTo(
  bench: Bench,
  id: string,
  outcome: Parameters<
    Awaited<ReturnType<typeof bench.agents.started>>["finish"]
  >[0],
): Promise<void> {
  const count = bench.agents.runs.length;
  await bench.runNow(id);
  (await bench.agents.started(count)).finish(outcome);
}

/** Waits until something waits for the clock that did not before. */
async function untilWaiting(bench: Bench, before: number): Promise<void> {
  while (bench.kernel.clock.pending <= before) await turn();
}

/** The event that a notification did not arrive. Waits for it. */
async function untilFailed({ kernel: { events } }: Bench) {
  return events.all(NotifyFailed)[0] ?? (await events.next(NotifyFailed));
}

const toMessage = ({ text }: { text: string }) => JSON.parse(text) as Message;

const usage = (costUsd: number | null) => ({
  usage: { inputTokens: 1, outputTokens: 1, costUsd },
});

describe("a notification", () => {
  test.each(["slack", "mattermost", "teams"] as const)(
    "of a run that is done has the shape that %s takes",
    async (kind) => {
      await using bench = await startBench();
      await using chat = await startChat(kind);
      const { id } = await bench.create({ notifyUrl: chat.url });
      await runTo(bench, id, { message: "All & <well>.", ...usage(0.25) });
      const message = toMessage(await chat.got(1));
      const link = `http://gantry.localhost:${bench.kernel.kernel.port}/automations/${id}`;
      expect(message.text).toBe(
        `✅ Morning brief is done · $0.25\n${link}\n\nAll &amp; &lt;well&gt;.`,
      );
      expect(message.blocks.map(({ text }) => text.text)).toEqual([
        `✅ *Morning brief* is done · $0.25\n<${link}|Open the automation>`,
        "All &amp; &lt;well&gt;.",
      ]);
      // The other two fit each chat too, however long they get.
      for (const longest of ["&".repeat(10_000), "👨‍👩‍👧‍👦".repeat(3000)])
        await runTo(bench, id, { message: longest, ...usage(null) });
      await chat.got(3);
      await bench.kernel.stop();
      // None was refused, or there would have been a second try.
      expect(bench.kernel.events.all(NotifyFailed)).toEqual([]);
    },
  );

  test("of a failed run says so and why; a skipped run sends none", async () => {
    await using bench = await startBench();
    await using target = await startReceiver();
    const { id } = await bench.create({ notifyUrl: target.url });
    await runTo(bench, id, {
      failure: "cost-cap",
      message: "Too much.",
      ...usage(0.005),
    });
    expect(toMessage(await target.got(1)).text).toMatch(
      /^❌ Morning brief failed · cost cap · \$0\.0050\nhttp.*\n\nToo much\.$/,
    );
    // A run that fails before anything starts is reported too, a skipped run is not.
    bench.agents.facts.inTerminal = true;
    expect(await bench.runNow(id)).toMatchObject({ result: "skipped" });
    Object.assign(bench.agents.facts, {
      inTerminal: false,
      cliInstalled: false,
    });
    await bench.runNow(id);
    expect(toMessage(await target.got(2)).text).toContain("cli missing");
    expect(target.requests).toHaveLength(2);
  });

  test("that fails is tried once more after five seconds", async () => {
    await using bench = await startBench();
    await using target = await startReceiver((response, _, index) => {
      response.statusCode = index === 0 ? 503 : 200;
      response.end();
    });
    const { id } = await bench.create({ notifyUrl: target.url });
    const before = bench.kernel.clock.pending;
    await runTo(bench, id, {});
    await target.got(1);
    await bench.ended(id, 1);
    await untilWaiting(bench, before);
    await bench.kernel.clock.advance(4_999);
    expect(target.requests).toHaveLength(1);
    await bench.kernel.clock.advance(1);
    const second = await target.got(2);
    expect(second.text).toBe(target.requests[0]!.text);
    await bench.kernel.clock.advance(60_000);
    expect(target.requests).toHaveLength(2);
    expect(bench.kernel.events.all(NotifyFailed)).toEqual([]);
    expect((await bench.runs(id))[0]).toMatchObject({ result: "done" });
  });

  test.each([
    ["an error", "refused", { status: 500 }],
    ["a redirect, which is not followed", "redirect", { status: 302 }],
    ["nothing, and hangs up", "ECONNRESET", { status: 0 }],
  ])(
    "whose target answers %s twice is an event, and the run stays done",
    async (_, code, { status }) => {
      await using bench = await startBench();
      await using target = await startReceiver((response) => {
        if (status === 0) return void response.destroy();
        response.writeHead(status, { location: "/elsewhere" }).end(SECRET);
      });
      const { id } = await bench.create({ notifyUrl: target.url });
      const before = bench.kernel.clock.pending;
      await runTo(bench, id, {});
      await target.got(1);
      await untilWaiting(bench, before);
      await bench.kernel.clock.advance(5_000);
      const event = await untilFailed(bench);
      const [run] = await bench.runs(id);
      expect(event).toMatchObject({
        type: "automation.notify",
        subject: id,
        data: {
          automationId: id,
          runId: run!.id,
          target: new URL(target.url).host,
          tries: 2,
          code,
        },
      });
      expect(run).toMatchObject({ result: "done", message: "All is well." });
      expect(target.requests.map(({ path }) => path)).toEqual(
        Array(2).fill(new URL(target.url).pathname),
      );
      // The automation shows it until one arrives.
      const { notifyFailure } = await bench.get(id);
      expect(notifyFailure).toMatchObject({
        runId: run!.id,
        error: event.data.error,
      });
      const told = JSON.stringify([bench.kernel.log, event]);
      expect(told).not.toContain(SECRET);
    },
  );

  test("to a name that turns out to be the daemon itself is an event, and nothing is called", async () => {
    await using bench = await startBench();
    // The name of this machine is looked up only when it is called.
    const notifyUrl = `http://${hostname()}:${bench.kernel.kernel.port}/hook`;
    const { id } = await bench.create({ notifyUrl });
    const before = bench.kernel.clock.pending;
    await runTo(bench, id, {});
    await bench.ended(id, 1);
    await untilWaiting(bench, before);
    await bench.kernel.clock.advance(5_000);
    expect(await untilFailed(bench)).toMatchObject({
      data: {
        code: "OUTBOUND_REFUSED",
        error: expect.stringContaining("the daemon itself"),
      },
    });
  });

  test("that arrives takes away what was shown of one that did not", async () => {
    await using bench = await startBench();
    await using target = await startReceiver((response, _, index) => {
      response.statusCode = index < 2 ? 500 : 200;
      response.end();
    });
    const { id } = await bench.create({ notifyUrl: target.url });
    const before = bench.kernel.clock.pending;
    await runTo(bench, id, {});
    await target.got(1);
    await bench.ended(id, 1);
    await untilWaiting(bench, before);
    await bench.kernel.clock.advance(5_000);
    await untilFailed(bench);
    await runTo(bench, id, {});
    await target.got(3);
    await expect
      .poll(async () => (await bench.get(id)).notifyFailure)
      .toBeNull();
    expect(await bench.get(id)).toMatchObject({
      lastRun: { number: 2, result: "done" },
    });
  });

  test("is tried again after a restart between its tries, and is not sent a third time", async () => {
    await using bench = await startBench();
    await using target = await startReceiver((response, _, index) => {
      response.statusCode = index === 0 ? 503 : 200;
      response.end();
    });
    const { id } = await bench.create({ notifyUrl: target.url });
    const before = bench.kernel.clock.pending;
    await runTo(bench, id, {});
    await target.got(1);
    await untilWaiting(bench, before);
    await bench.kernel.restart();
    const waiting = bench.kernel.clock.pending;
    expect(target.requests).toHaveLength(1);
    await bench.kernel.clock.advance(5_000);
    await target.got(2);
    while (bench.kernel.clock.pending >= waiting) await turn();
    await bench.kernel.restart();
    await bench.kernel.clock.advance(60_000);
    expect(target.requests).toHaveLength(2);
    expect(bench.kernel.events.all(NotifyFailed)).toEqual([]);
  });

  test("whose last try was cut off by a kill is an event at the next start", async () => {
    await using bench = await startBench();
    let image: string | undefined;
    await using target = await startReceiver((response, _, index) => {
      // The daemon dies while the target thinks.
      if (index === 1) image = takeCrashImage(bench.kernel.home);
      response.statusCode = 503;
      response.end();
    });
    const { id } = await bench.create({ notifyUrl: target.url });
    const before = bench.kernel.clock.pending;
    await runTo(bench, id, {});
    await target.got(1);
    await untilWaiting(bench, before);
    await bench.kernel.clock.advance(5_000);
    await target.got(2);
    await untilFailed(bench);
    await using next = await startBench({ home: image! });
    await expect
      .poll(() => log(next))
      .toMatchObject([{ data: { code: "interrupted", tries: 2 } }]);
    await next.kernel.clock.advance(60_000);
    expect(target.requests).toHaveLength(2);
  });

  test("is not held up by others, and holds no run up", async () => {
    await using bench = await startBench();
    await using slow = await startReceiver(() => {});
    await using quick = await startReceiver();
    const first = await bench.create({ notifyUrl: slow.url });
    const second = await bench.create({ notifyUrl: quick.url });
    await runTo(bench, first.id, {});
    await slow.got(1);
    await runTo(bench, second.id, {});
    await quick.got(1);
    await runTo(bench, first.id, {});
    expect(await bench.ended(first.id, 2)).toHaveLength(2);
  });

  test("links to the public address, if there is one", async () => {
    const publicUrl = "https://gantry.example.org";
    await using bench = await startBench({ config: { publicUrl } });
    await using target = await startReceiver();
    const { id } = await bench.create({ notifyUrl: target.url });
    await runTo(bench, id, {});
    expect(toMessage(await target.got(1)).text).toContain(
      `\nhttps://gantry.example.org/automations/${id}\n`,
    );
  });
});

const log = async (bench: Bench) =>
  (
    await bench.kernel.api.get<{ items: { type: string }[] }>("/api/events/log")
  ).body.items.filter(({ type }) => type === NotifyFailed.type);

describe("an address to notify", () => {
  const own = (bench: Bench) => bench.kernel.kernel.port;

  test("that is not to be called is refused when it is saved, and when it is tried", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    const { api } = bench.kernel;
    for (const url of [
      "http://169.254.169.254/latest/meta-data/",
      "http://[::ffff:169.254.169.254]/",
      "http://2852039166/",
      "http://[fe80::1]/",
      `http://127.0.0.1:${own(bench)}/api/automations/${id}/fire`,
      `http://gantry.localhost:${own(bench)}/`,
      `https://elsewhere.example/api/automations/${id}/fire`,
      "https://gateway.example/-/hook/me/aut_x",
    ]) {
      const wrong = { status: 400, body: { code: "NOTIFY_TARGET_REFUSED" } };
      const field = { notifyUrl: url };
      const whole = { name: "x", prompt: "x", ...field };
      const test = "/api/automations/notify/test";
      expect(await api.post("/api/automations", whole), url).toMatchObject(
        wrong,
      );
      expect(await api.patch(`/api/automations/${id}`, field)).toMatchObject(
        wrong,
      );
      expect(await api.post(test, { url })).toMatchObject(wrong);
    }
    expect(await bench.get(id)).toMatchObject({ notifyUrl: null });
  });

  test("is tried without being saved, and its answer is shown as text, cut", async () => {
    await using bench = await startBench();
    const try_ = async (target: Receiver) =>
      (
        await bench.kernel.api.post("/api/automations/notify/test", {
          url: target.url,
        })
      ).body;
    await using good = await startChat("slack");
    expect(await try_(good)).toEqual({
      delivered: true,
      status: 200,
      answer: "ok",
      error: null,
    });
    await using bad = await startReceiver((response) => {
      response.statusCode = 404;
      response.end(`\u001b[31m<b>no_service</b>${"x".repeat(5000)}`);
    });
    expect(await try_(bad)).toMatchObject({
      delivered: false,
      status: 404,
      answer: expect.stringMatching(/^<b>no_service<\/b>x+…$/),
      error: "The target answered with the status 404.",
    });
    await bad[Symbol.asyncDispose]();
    expect(await try_(bad)).toMatchObject({
      delivered: false,
      status: null,
      error: "Nothing listens at the target.",
    });
    expect(bad.requests).toHaveLength(1);
  });

  test("that answers without end, or slowly, or with what is none costs a bounded time and room", async () => {
    await using bench = await startBench();
    await using endless = await startReceiver((response) => {
      const more = () => {
        while (response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
    const { body } = await bench.kernel.api.post<{ answer: string }>(
      "/api/automations/notify/test",
      { url: endless.url },
    );
    expect(body.answer).toHaveLength(500);
    await using heads = await startReceiver((response) => {
      response.writeHead(200, { "x-long": "x".repeat(100_000) }).end();
    });
    const answer = await bench.kernel.api.post("/api/automations/notify/test", {
      url: heads.url,
    });
    expect(answer.body).toMatchObject({ delivered: false, status: null });
  });
});
