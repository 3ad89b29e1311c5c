import { expect } from "vitest";
import { attacks as hostileTexts } from "../../../plugins/inbox/test/fixtures/attacks.ts";
import type { Row } from "../runner/row.ts";
import { openPaired } from "../world/paired-browser.ts";

// eslint-disable-next-line no-control-regex -- those are what a name cannot have
const NOT_IN_A_NAME = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Some of the texts that fit into a name of one line; all of them are tried where agents speak. */
const hostileNames = hostileTexts
  .filter(
    (text) =>
      text.length <= 100 && text.trim() !== "" && !NOT_IN_A_NAME.test(text),
  )
  .filter((_, index) => index % 3 === 0);

export const hostileNamesInBrowser: readonly Row[] = [
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
    id: "A120d",
    title: "records of browsers with hostile values: refused, or shown as text",
    provedBy: [
      [
        "plugins/browser/test/hostile.test.ts",
        "hostile values in every field are refused by the field's name, or stored as harmless text",
      ],
      [
        "plugins/browser/test/browser/pages.test.ts",
        "hostile text in every record is shown as text",
      ],
    ],
  },
  {
    id: "A120c",
    title: "B: addresses that name another host cause no request to it",
    everyChange: true,
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
