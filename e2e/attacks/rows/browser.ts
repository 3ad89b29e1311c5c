import { expect } from "vitest";
import type { Row } from "../runner/row.ts";
import { startEvilSite } from "../world/evil-site.ts";
import { openPaired } from "../world/paired-browser.ts";
import { tryEverything } from "./try-everything.ts";
import type { Attempt } from "./try-everything.ts";

const expectAllBlocked = (attempts: readonly Attempt[]) =>
  expect(attempts.filter(({ outcome }) => outcome !== "blocked")).toEqual([]);

export const inBrowser: readonly Row[] = [
  {
    id: "A03",
    title: "B: a page whose name was rebound to this machine reads nothing",
    inBrowser: true,
    async run(world, { browser }) {
      const { context, page, statuses } = await openPaired(browser, world);
      const origin = `http://rebind.example:${world.port}`;
      // What the page was before its name led here; everything after it goes to the daemon.
      await page.route(`${origin}/lure`, (route) =>
        route.fulfill({ contentType: "text/html", body: "<body></body>" }),
      );
      const rebound: number[] = [];
      context.on("response", (response) => {
        if (
          response.url().startsWith(origin) &&
          !response.url().endsWith("/lure")
        )
          rebound.push(response.status());
      });
      await page.goto(`${origin}/lure`);
      const read = await page.evaluate(async () => {
        const texts = [];
        for (const path of ["/api/agents", "/", "/pair", "/api/openapi.json"])
          texts.push(await (await fetch(path)).text());
        const post = await fetch("/api/auth/mode", {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: '{"mode":"loopback"}',
        });
        return [...texts, await post.text()];
      });
      for (const text of read) expect(text).toContain("HOST_REFUSED");
      expect(new Set(rebound)).toEqual(new Set([403]));
      expect(statuses).toEqual([]);
      await context.close();
    },
  },
  {
    id: "A12",
    title:
      "B: a page on another port, under our name and a name below it, with our cookie",
    everyChange: true,
    inBrowser: true,
    async run(world, { browser }) {
      await using site = await startEvilSite();
      for (const name of [
        "gantry.localhost",
        "x.gantry.localhost",
        "evil.example",
      ]) {
        const { context, page, asked, statuses } = await openPaired(
          browser,
          world,
        );
        await page.goto(`http://${name}:${site.port}/`);
        expectAllBlocked(
          await page.evaluate(tryEverything, {
            origin: world.origin,
            agentId: world.victims.agentId,
          }),
        );
        expect(asked.length, name).toBeGreaterThan(8);
        expect(new Set(statuses), name).toEqual(new Set([403]));
        await context.close();
      }
      // Cookies know no ports: this is what our own name, and the refusal of the same site, are for.
      expect(site.cookies).toContain(world.cookie);
    },
  },
  {
    id: "A21",
    title: "B: no page of ours is shown in a frame of another",
    inBrowser: true,
    async run(world, { browser }) {
      await using site = await startEvilSite();
      const { context, page } = await openPaired(browser, world);
      await page.goto(`http://gantry.localhost:${site.port}/`);
      const paths = [
        "/",
        "/pair",
        "/agents",
        "/settings/devices",
        "/docs",
        "/200.html",
        "/200.html.br",
        "/api/agents",
      ];
      for (const path of paths) {
        await page.evaluate(
          (url) =>
            new Promise<void>((resolve) => {
              document.body.replaceChildren();
              const frame = document.createElement("iframe");
              frame.onload = () => resolve();
              frame.src = url;
              document.body.append(frame);
            }),
          world.origin + path,
        );
        for (const frame of page.frames().slice(1)) {
          const text = await frame
            .evaluate(() => document.body?.innerText ?? "")
            .catch(() => "");
          // The browser's own words, or ours of a refusal, which is no page.
          expect(
            frame.url().startsWith("chrome-error:") ||
              /_REFUSED|_NOT_FOUND/.test(text),
            `${path} shows ${text.slice(0, 100)}`,
          ).toBe(true);
        }
      }
      await context.close();
    },
  },
  {
    id: "A22",
    title:
      "B: nothing of ours loads as a script, a style or a picture of another page",
    inBrowser: true,
    async run(world, { browser }) {
      await using site = await startEvilSite();
      const { context, page } = await openPaired(browser, world);
      await page.goto(`http://127.0.0.1:${site.port}/`);
      const outcomes = await page.evaluate(
        async (urls) => {
          const load = (tag: "img" | "script", url: string) =>
            new Promise<string>((resolve) => {
              const made = document.createElement(tag);
              made.onload = () => resolve(`${tag} ${url} loaded`);
              made.onerror = () => resolve("blocked");
              made.src = url;
              document.body.append(made);
            });
          const all = [];
          for (const url of urls)
            for (const tag of ["img", "script"] as const)
              all.push(await load(tag, url));
          return all;
        },
        [
          "/favicon.svg",
          "/shared/modules.mjs",
          "/plugins/agents/ui/index.mjs",
          "/api/openapi.json",
          "/docs/start.js",
        ].map((path) => world.origin + path),
      );
      expect(new Set(outcomes)).toEqual(new Set(["blocked"]));
      await context.close();
    },
  },
];
