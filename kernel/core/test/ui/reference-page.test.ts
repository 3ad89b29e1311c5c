import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";

test("the page for people brings everything from here, and only to a paired browser", async () => {
  await using kernel = await startTestKernel([]);
  for (const path of ["/docs", "/docs/start.js", "/docs/standalone.js"])
    expect((await kernel.stranger.get(path)).status, path).toBe(401);
  const page = await kernel.api.get<string>("/docs");
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, source]) => source ?? "",
  );
  const [icon, ...scripts] = sources;
  // Of the pages, which this kernel does not serve.
  expect(icon).toBe("/favicon.svg");
  expect(scripts).toEqual(["/docs/standalone.js", "/docs/start.js"]);
  for (const source of scripts) {
    const script = await kernel.api.get<string>(source);
    expect(script.headers.get("content-type"), source).toBe(
      "text/javascript; charset=utf-8",
    );
    expect(script.body.length).toBeGreaterThan(50);
  }
  expect(page.headers.get("content-security-policy")).toContain(
    "default-src 'none'; script-src 'self'",
  );
});
