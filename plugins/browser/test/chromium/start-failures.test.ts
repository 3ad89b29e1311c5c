import { expect, test } from "vitest";
import {
  FAKE,
  startBrowsing,
  writeProgram,
} from "../support/start-browsing.ts";

/** Opens a tab in a browser with this command, and returns the answer and what the status says afterwards. */
async function openWith(command: string) {
  await using bench = await startBrowsing({ command, sandbox: "off" });
  const { status, body } = await bench.post("https://shop.example/");
  return { status, body, after: await bench.status() };
}

test("a browser that is not there is reported with the setting that names it", async () => {
  for (const command of ["/nowhere/chromium", "no-such-chromium"]) {
    const { status, body, after } = await openWith(command);
    expect(status).toBe(503);
    expect(body).toMatchObject({
      code: "BROWSER_MISSING",
      detail: expect.stringContaining("settings.browser.command") as string,
    });
    expect(after).toMatchObject({
      ...{ found: false, command: null, running: [] },
      hint: expect.stringContaining("settings.browser.command") as string,
    });
  }
});

test("a browser that exits during its start is reported with its error output", async () => {
  const { status, body, after } = await openWith(
    await writeProgram("echo '/usr/bin/x: cannot open display' >&2; exit 1"),
  );
  expect(status).toBe(502);
  expect(body).toMatchObject({ code: "BROWSER_FAILED" });
  expect(after).toMatchObject({
    found: true,
    problem: expect.stringContaining(
      "It said: …: cannot open display",
    ) as string,
  });
});

test("a missing sandbox is reported with what to do", async () => {
  const { status, body } = await openWith(
    await writeProgram("echo '[FATAL:zygote] No usable sandbox!' >&2; exit 1"),
  );
  expect(status).toBe(503);
  expect(body).toMatchObject({
    code: "BROWSER_SANDBOX",
    detail: expect.stringContaining("settings.browser.sandbox") as string,
  });
});

test("a browser that a wrapper script takes from behind its proxy is not used", async () => {
  const { status, body } = await openWith(
    await writeProgram(`exec ${FAKE.command} "$@" --no-proxy-server`),
  );
  expect(status).toBe(502);
  expect(body).toMatchObject({
    code: "BROWSER_FAILED",
    detail: expect.stringContaining("--no-proxy-server") as string,
  });
});
