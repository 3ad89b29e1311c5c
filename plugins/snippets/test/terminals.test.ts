import { expect, test } from "vitest";
import { SnippetSent } from "../src/contract.ts";
import type { SnippetConfirmation } from "../src/contract.ts";
import { startSnippets } from "./support/snippets.ts";
import {
  cliId,
  createTargets,
  shellId,
  targetErrors,
  toAgent,
  toCli,
  toShell,
} from "./support/targets.ts";

async function startWithTerminals(fields: object = {}) {
  const targets = createTargets();
  const kernel = await startSnippets([targets.agents, targets.terminals]);
  const { id } = await kernel.save({
    kind: "command",
    title: "Remove",
    body: "rm -r {{what=build}}",
    ...fields,
  });
  const path = `/api/snips/${id}/run`;
  const run = (input: object = {}) =>
    kernel.api.post<SnippetConfirmation>(path, { target: toShell, ...input });
  return { targets, kernel, run, id };
}

const refusedConfirmation = {
  status: 409,
  body: { code: "SNIPPET_CONFIRMATION" },
};

test("a command stops at a confirmation that names the terminal and shows the text", async () => {
  const { targets, kernel, run } = await startWithTerminals();
  await using _ = kernel;
  const { status, body } = await run({ values: { what: "dist" } });
  expect(status).toBe(200);
  expect(body).toEqual({
    needsConfirmation: true,
    confirmation: expect.stringMatching(/^[\w-]{32}$/) as string,
    expiresAt: "2026-03-02T12:01:01.000Z",
    terminal: { id: shellId, name: "Build", cwd: "/work/sample" },
    text: "rm -r dist",
    visible: "rm -r dist",
  });
  expect(targets.pasted).toEqual([]);
  expect(kernel.events.all(SnippetSent)).toEqual([]);
});

test("confirmed, just this text is run in just this terminal, once", async () => {
  const { targets, kernel, run, id } = await startWithTerminals();
  await using _ = kernel;
  const values = { what: "dist" };
  const { body } = await run({ values });
  const confirmed = { values, confirm: body.confirmation };
  await kernel.clock.advance(59_000);
  expect(await run(confirmed)).toMatchObject({
    status: 200,
    body: {
      needsConfirmation: false,
      target: { type: "terminal", id: shellId, name: "Build" },
      text: "rm -r dist",
      delivery: "sent",
      taskId: null,
    },
  });
  const pasted = {
    id: shellId,
    incarnation: "first",
    text: "rm -r dist",
    as: "run",
  };
  expect(targets.pasted).toEqual([pasted]);
  expect(kernel.events.all(SnippetSent)).toMatchObject([
    { subject: id, data: { target: { type: "terminal", id: shellId } } },
  ]);
  expect(await run(confirmed)).toMatchObject(refusedConfirmation);
  expect(targets.pasted).toEqual([pasted]);
});

test("a confirmation holds for nothing else, and for no longer", async () => {
  const { targets, kernel, run, id } = await startWithTerminals();
  await using _ = kernel;
  const confirm = async () => (await run()).body.confirmation;
  const other = { ...targets.shell, id: `trm_${"o".repeat(24)}` };

  // Another text: by its values, and by its body.
  expect(
    await run({ values: { what: "src" }, confirm: await confirm() }),
  ).toMatchObject(refusedConfirmation);
  const before = await confirm();
  await kernel.api.patch(`/api/snips/${id}`, { body: "rm -rf {{what=build}}" });
  expect(await run({ confirm: before })).toMatchObject(refusedConfirmation);

  // Another terminal, and another process in this one.
  const here = await confirm();
  targets.cli = other;
  expect(
    await run({ target: { type: "terminal", id: other.id }, confirm: here }),
  ).toMatchObject(refusedConfirmation);
  const old = await confirm();
  targets.shell = { ...targets.shell, incarnation: "second" };
  expect(await run({ confirm: old })).toMatchObject(refusedConfirmation);

  // Too late, also when the clock on the wall was set back.
  const late = await confirm();
  kernel.clock.jumpWall(-3_600_000);
  await kernel.clock.advance(60_000);
  expect(await run({ confirm: late })).toMatchObject(refusedConfirmation);

  // One of another snippet, one that is made up, and one of a daemon that is gone.
  const { id: twin } = await kernel.save({
    kind: "command",
    body: "rm -rf build",
  });
  const twins = await kernel.api.post<SnippetConfirmation>(
    `/api/snips/${twin}/run`,
    { target: toShell },
  );
  expect(await run({ confirm: twins.body.confirmation })).toMatchObject(
    refusedConfirmation,
  );
  for (const made of ["", "x", "A".repeat(32), "__proto__"])
    expect(await run({ confirm: made })).toMatchObject(refusedConfirmation);
  const last = await confirm();
  await kernel.restart();
  expect(await run({ confirm: last })).toMatchObject(refusedConfirmation);

  expect(targets.pasted).toEqual([]);
  expect(kernel.events.all(SnippetSent)).toEqual([]);
});

test("of many that use one confirmation at once, one sends", async () => {
  const { targets, kernel, run } = await startWithTerminals();
  await using _ = kernel;
  const { confirmation: confirm } = (await run()).body;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => run({ confirm })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(targets.pasted).toHaveLength(1);
});

test("what hides in a text is shown", async () => {
  const { kernel, run } = await startWithTerminals({
    body: "echo \u202eone\u200b {{what}}\u001b[2J\u00a0",
  });
  await using _ = kernel;
  const { body } = await run({ values: { what: "a\n\tb" } });
  expect(body.text).toBe("echo \u202eone\u200b a\n\tb\u001b[2J\u00a0");
  expect(body.visible).toBe(
    "echo ⟨U+202E⟩one⟨U+200B⟩ a⏎\n⇥\tb⟨U+001B⟩[2J⟨U+00A0⟩",
  );
});

test("control characters other than line ends and tabs are refused in a value", async () => {
  const { targets, kernel, run } = await startWithTerminals();
  await using _ = kernel;
  for (const character of [
    "\u0000",
    "\u001b[2J",
    "\r",
    "\u0003",
    "\u007f",
    "\u009b",
  ])
    expect(await run({ values: { what: `a${character}` } })).toMatchObject({
      status: 400,
      body: {
        code: "SNIPPET_VALUE_CONTROL",
        errors: [{ path: "values.what" }],
      },
    });
  expect(targets.pasted).toEqual([]);
});

test("a folder whose name would be a key press is refused", async () => {
  const { targets, kernel, run } = await startWithTerminals({
    body: "cd {{cwd}}",
  });
  await using _ = kernel;
  targets.shell = { ...targets.shell, cwd: "/work/a\nid\n" };
  expect(await run()).toMatchObject({
    status: 400,
    body: { code: "SNIPPET_VALUE_CONTROL" },
  });
});

test("a shell that is busy gets nothing, and the confirmation still holds", async () => {
  const { targets, kernel, run } = await startWithTerminals();
  await using _ = kernel;
  const { confirmation: confirm } = (await run()).body;
  targets.shell = { ...targets.shell, atPrompt: false };
  for (const input of [{}, { confirm }])
    expect(await run(input)).toMatchObject({
      status: 409,
      body: { code: "SNIPPET_TERMINAL_BUSY" },
    });
  targets.shell = { ...targets.shell, atPrompt: true };
  // Another moment later it is busy again, which only the terminals plugin sees.
  targets.refuse = targetErrors.TERMINAL_BUSY();
  expect(await run({ confirm })).toMatchObject({
    status: 409,
    body: { code: "TERMINAL_BUSY" },
  });
  expect(targets.pasted).toEqual([]);
  expect(kernel.events.all(SnippetSent)).toEqual([]);
});

test("a prompt goes into the terminal of an agent CLI, with its names", async () => {
  const { targets, kernel } = await startWithTerminals();
  await using _ = kernel;
  const { id } = await kernel.save({
    body: "Use {{cli}} for {{agent}}:\n{{what}}",
  });
  const run = () =>
    kernel.api.post(`/api/snips/${id}/run`, {
      target: toCli,
      values: { what: "all" },
    });
  expect(await run()).toMatchObject({
    status: 409,
    body: { code: "SNIPPET_CONTEXT_MISSING" },
  });
  targets.cli = { ...targets.cli, agent: "Ada" };
  expect(await run()).toMatchObject({
    status: 200,
    body: { needsConfirmation: false },
  });
  expect(targets.pasted).toEqual([
    {
      id: cliId,
      incarnation: "first",
      text: "Use claude for Ada:\nall",
      as: "prompt",
    },
  ]);
});

test("what does not belong there is not sent: prompts to shells, commands to CLIs, pictures to either", async () => {
  const { targets, kernel, run } = await startWithTerminals();
  await using _ = kernel;
  const prompt = await kernel.save({ body: "Do it" });
  const images = [{ mimeType: "image/png", data: "aa==" }];
  const runPrompt = (input: object) =>
    kernel.api.post(`/api/snips/${prompt.id}/run`, input);
  for (const answer of [
    await run({ target: toCli }),
    await run({ target: toAgent }),
    await run({ images }),
    await runPrompt({ target: toShell }),
    await runPrompt({ target: toCli, images }),
  ])
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "SNIPPET_KIND" },
    });
  expect(targets.pasted).toEqual([]);
  expect(targets.prompts).toEqual([]);
});
