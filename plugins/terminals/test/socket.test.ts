import { expect, test, vi } from "vitest";
import { startTerminals } from "./support/start-terminals.ts";
import { openViewer } from "./support/viewer.ts";

test("no size but a sensible one is taken", async () => {
  const { openShell, look, get } = await startTerminals();
  const { id } = await openShell();
  const viewer = await look(id);
  await viewer.hears({ type: "owner", you: true });
  const bad = [0, -1, 1e9, null, "80", 1.5, 1001, 1, {}, []];
  for (const cols of bad) viewer.say({ type: "resize", cols, rows: 24 });
  for (const rows of [0, -1, 1e9, null, "24", 1001])
    viewer.say({ type: "resize", cols: 80, rows });
  viewer.type("echo al''ive\r");
  await viewer.sees("alive");
  expect(
    viewer.heard.filter(({ code }) => code === "TERMINAL_MESSAGE"),
  ).toHaveLength(bad.length + 6);
  expect(await get(id)).toMatchObject({ cols: 80, rows: 24 });
  for (const [cols, rows] of [
    [2, 1],
    [1000, 1000],
  ] as const) {
    viewer.say({ type: "resize", cols, rows });
    await viewer.hears({ type: "resize", cols, rows });
  }
});

test("an invalid message is answered with an error, and the terminal continues", async () => {
  const { openShell, look } = await startTerminals();
  const { id } = await openShell();
  const viewer = await look(id);
  const texts: unknown[] = [
    "",
    null,
    [],
    {},
    { type: "exec", command: "id" },
    { type: "ack" },
    { type: "ack", bytes: -1 },
    { type: "ack", bytes: "5" },
    { type: "owner", extra: 1 },
    { type: "__proto__" },
    JSON.parse("[".repeat(500) + "]".repeat(500)),
  ];
  for (const text of texts) viewer.say(text);
  await vi.waitFor(() =>
    expect(
      viewer.heard.filter(({ code }) => code === "TERMINAL_MESSAGE"),
    ).toHaveLength(texts.length),
  );
  viewer.type("echo al''ive\r");
  await viewer.sees("alive");
});

test("a message that is too long, or too many of them, end that socket alone", async () => {
  const { openShell, look } = await startTerminals();
  const { id } = await openShell();
  const other = await look(id);
  const long = await look(id);
  long.type(Buffer.alloc(64 * 1024 + 1, "x"));
  expect((await long.closed).code).toBe(1009);
  const many = await look(id);
  for (let at = 0; at < 2_000; at++) many.say({ type: "ack", bytes: 0 });
  expect((await many.closed).code).toBe(1008);
  other.type("echo al''ive\r");
  await other.sees("alive");
});

test("only who may come in sees a terminal, and only one that is there", async () => {
  const { kernel, open, look, api } = await startTerminals();
  const { id } = await open();
  const { cookie } = await kernel.pairAs("Other");
  const refused = [
    [id, {}],
    [id, { cookie }],
    [id, { cookie, origin: "http://evil.example" }],
    [id, { cookie, origin: "null" }],
    [id, { cookie: "gantry_session=x", origin: kernel.url }],
    [`trm_${"a".repeat(24)}`, { cookie, origin: kernel.url }],
    ["..%2f1", { cookie, origin: kernel.url }],
    ["x".repeat(5000), { cookie, origin: kernel.url }],
  ] as const;
  for (const [which, headers] of refused)
    await expect(openViewer(kernel.url, which, headers)).rejects.toThrow(
      "refused",
    );
  expect(
    (await api.get<{ viewers: number }>(`/api/terminals/${id}`)).body.viewers,
  ).toBe(0);
  await api.delete(`/api/terminals/${id}`);
  await expect(look(id)).rejects.toThrow("refused");
});
