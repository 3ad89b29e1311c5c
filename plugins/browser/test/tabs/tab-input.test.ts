import { expect, test } from "vitest";
import { MAX_TABS } from "../../src/tabs/browser-tabs.ts";
import { processesWith } from "../support/processes.ts";
import { FAKE, startBrowsing } from "../support/start-browsing.ts";

const PATH = "/api/browser/tabs";
const SITE = "https://shop.example/";

test("an address that is none is refused before a browser starts", async () => {
  await using bench = await startBrowsing(FAKE);
  const urls = [
    ...["", " ", "shop.example", "javascript:alert(1)", "file:///etc/passwd"],
    ...[
      "data:text/html,x",
      "about:blank",
      "chrome://crash",
      "ftp://a.example/",
    ],
    ...[
      "blob:https://a.example/1",
      "view-source:https://a.example/",
      "http://",
    ],
    ...["https://a\u0000.example/", "https://a.example/\u202ecod.exe"],
    ...["https://a.example/\u200b", "https://a.example/\n", "http://[::1"],
    ...[`https://a.example/${"x".repeat(1024 * 1024)}`],
    ...[null, 5, [], {}, true, [SITE]],
  ];
  for (const url of urls) {
    const { status, body } = await bench.api.post(PATH, { url });
    expect({ url: String(url).slice(0, 40), status, body }).toMatchObject({
      status: expect.toBeOneOf([400, 413, 422]) as number,
      body: { code: expect.any(String) as string },
    });
  }
  for (const body of [[], [{ url: SITE }], {}, { url: SITE, more: 1 }])
    expect((await bench.api.post(PATH, body)).status).toBe(400);
  for (const agentId of [
    "",
    "user",
    "../x",
    "agt_",
    5,
    {},
    `agt_${"A".repeat(24)}`,
  ])
    expect((await bench.api.post(PATH, { url: SITE, agentId })).status).toBe(
      400,
    );
  for (const [text, type] of [
    ["not json", "application/json"],
    ["null", "application/json"],
    ['"text"', "application/json"],
    [`{"url":"${SITE}"}`, "text/plain"],
    ["", "application/json"],
  ] as const) {
    const { status } = await bench.api.request("POST", PATH, {
      body: Buffer.from(text),
      headers: { "content-type": type },
    });
    expect({ text, status }).toMatchObject({
      status: expect.toBeOneOf([400, 415]) as number,
    });
  }
  expect(await processesWith(bench.home)).toEqual([]);
});

test("a user name and a password are not opened or listed", async () => {
  await using bench = await startBrowsing(FAKE);
  await bench.post("https://me:secret@shop.example/");
  expect(await bench.tabs()).toMatchObject([{ url: SITE }]);
});

test("an id of another form names no tab", async () => {
  await using bench = await startBrowsing(FAKE);
  const { body } = await bench.post(SITE);
  const ids = [
    ...[body.id.toLowerCase(), body.id.slice(1), `${body.id}0`, "0".repeat(32)],
    ...["user", "*", "%00", "..%2Ftabs", "__proto__", encodeURIComponent("{}")],
  ];
  for (const id of ids)
    expect({
      id,
      status: (await bench.api.delete(`${PATH}/${id}`)).status,
    }).toEqual({ id, status: 404 });
  expect(await bench.tabs()).toHaveLength(1);

  const answers = await Promise.all(
    [1, 2].map(() => bench.api.delete(`${PATH}/${body.id}`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
});

test("100 tabs at once are opened up to the limit, by one browser", async () => {
  await using bench = await startBrowsing(FAKE);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => bench.post(SITE)),
  );
  const count = (status: number) =>
    answers.filter((answer) => answer.status === status).length;
  expect([count(200), count(409)]).toEqual([MAX_TABS, 100 - MAX_TABS]);
  expect(await bench.tabs()).toHaveLength(MAX_TABS);
  expect(await processesWith(bench.home)).toHaveLength(1);
});
