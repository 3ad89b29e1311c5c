import { expect } from "vitest";
import { attacks as hostileTexts } from "../../../plugins/inbox/test/fixtures/attacks.ts";
import type { Row } from "../runner/row.ts";
import { startEvilSite } from "../world/evil-site.ts";
import { openPaired } from "../world/paired-browser.ts";
import { tryEverything } from "./try-everything.ts";
import type { Attempt } from "./try-everything.ts";

const expectAllBlocked = (attempts: readonly Attempt[]) =>
  expect(attempts.filter(({ outcome }) => outcome !== "blocked")).toEqual([]);

// eslint-disable-next-line no-control-regex -- those are what a name cannot have
const NOT_IN_A_NAME = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Some of the texts that fit into a name of one line; all of them are tried where agents speak. */
const hostileNames = hostileTexts
  .filter(
    (text) =>
      text.length <= 100 && text.trim() !== "" && !NOT_IN_A_NAME.test(text),
  )
  .filter((_, index) => index % 3 === 0);

export const inBrowser: readonly Row[] = [
  {
    id: "A03",
    title: "B: a page whose name was bound anew to this machine reads nothing",
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
  {
    id: "A120",
    title:
      "B: names that are HTML, scripts and addresses are text on every page",
    inBrowser: true,
    changes: true,
    async run(world, { browser }) {
      const { api, victims } = world;
      expect(hostileNames.length).toBeGreaterThan(30);
      for (const [index, name] of hostileNames.entries()) {
        const made = await (index % 2 === 0
          ? api.call("POST", "/api/agents", { name, cwd: victims.workspace })
          : api.call("POST", "/api/automations", {
              name,
              prompt: name,
              workspace: victims.workspace,
              schedules: [
                {
                  frequency: "hourly",
                  minute: 0,
                  timeZone: "Etc/UTC",
                  enabled: false,
                  label: name.slice(0, 60),
                },
              ],
            }));
        expect([200, 400], name).toContain(made.status);
      }
      const { context, page } = await openPaired(browser, world);
      const stray: string[] = [];
      const faults: string[] = [];
      context.on("request", (request) => {
        const { protocol, host } = new URL(request.url());
        if (protocol.startsWith("http") && host !== world.host)
          stray.push(request.url());
      });
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      for (const path of [
        "/",
        "/agents",
        "/automations",
        "/inbox",
        "/settings/devices",
      ]) {
        await page.goto(world.origin + path);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await page.waitForLoadState("load");
        expect(await page.evaluate("window.__xss")).toBeUndefined();
        expect(page.frames()).toHaveLength(1);
      }
      await page.goto(`${world.origin}/agents`);
      await page.getByText("onerror").first().waitFor();
      expect(stray).toEqual([]);
      expect(faults).toEqual([]);
      await context.close();
    },
  },
  {
    id: "A120b",
    title:
      "B: what agents say, shown as Markdown, runs nothing and asks for nothing",
    provedBy: [
      [
        "plugins/inbox/test/browser/attacks.test.ts",
        "nothing that an agent says runs, leads away, or asks anyone for anything",
      ],
    ],
  },
  {
    id: "A120c",
    title: "B: addresses that name another place lead nowhere",
    inBrowser: true,
    async run(world, { browser }) {
      const { context, page } = await openPaired(browser, world);
      const stray: string[] = [];
      context.on("request", (request) => {
        const { protocol, host } = new URL(request.url());
        if (protocol.startsWith("http") && host !== world.host)
          stray.push(request.url());
      });
      page.on("websocket", (socket) => stray.push(socket.url()));
      for (const tail of [
        "/?gatewayUrl=ws://evil.example",
        "/?host=evil.example&token=x&apiUrl=http://evil.example",
        "/?redirect=//evil.example&next=http://evil.example&returnTo=%2f%2fevil.example",
        "/#redirect=//evil.example",
        "/pair?redirect=//evil.example#redirect=//evil.example",
        "/\\\\evil.example",
        "//evil.example/",
        "/%2f%2fevil.example",
        "/agents#javascript:alert(1)",
      ]) {
        await page.goto(world.origin + tail).catch(() => null);
        await page.waitForLoadState("load");
        expect(new URL(page.url()).host, tail).toBe(world.host);
      }
      for (const name of ["localhost", "127.0.0.1"]) {
        await page
          .goto(`http://${name}:${world.port}//evil.example/x`)
          .catch(() => null);
        expect(["gantry.localhost", name]).toContain(
          new URL(page.url()).hostname,
        );
      }
      expect(stray.filter((url) => url.includes("evil"))).toEqual([
        `http://localhost:${world.port}//evil.example/x`,
        `http://127.0.0.1:${world.port}//evil.example/x`,
      ]);
      await context.close();
    },
  },
];
