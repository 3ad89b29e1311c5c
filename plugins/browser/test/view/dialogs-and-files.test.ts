import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Download } from "../../src/records/schemas.ts";
import { DIALOG_MS } from "../../src/view/dialogs.ts";
import { MAX_TABS } from "../../src/view/tab.ts";
import type { Tab } from "../../src/view/tab.ts";
import { hasChromium } from "../support/start-pool.ts";
import { startViews } from "../support/start-views.ts";
import { openViewer } from "../support/viewer.ts";
import { sitePages } from "../support/test-egress.ts";
import type { Site } from "../support/test-egress.ts";

const PAGE = `<!doctype html><title>Ready</title><body style="margin:0">
<style>button, input { position: absolute; left: 0; width: 100px; height: 20px }</style>
<button style="top:0" onclick="document.title = 'said ' + prompt('Your name?', 'Ann')">ask</button>
<input style="top:40px" type=file multiple
 onchange="Promise.all([...files].map(async (f) => f.name + '=' + await f.text())).then((all) => fetch('/told?' + encodeURIComponent(all)))">
<button style="top:80px" onclick="location = '/file'">file</button>
<button style="top:120px" onclick="navigator.geolocation.getCurrentPosition(() => fetch('/told?ok'), (e) => fetch('/told?' + e.code))">where</button>
<button id=pay data-testid=pay style="top:160px">Pay now</button>
<button style="top:200px" onclick="for (let i = 0; i < 30; i++) open('/popup')">popups</button>`;

const pages = sitePages({ "/": PAGE, "/popup": "popup" });
const told: string[] = [];
const site: Site = (url, response, request) => {
  if (url.pathname === "/told") {
    told.push(decodeURIComponent(url.search.slice(1)));
    response.end();
  } else if (url.pathname === "/file") {
    response
      .writeHead(200, {
        "content-type": "application/octet-stream",
        "content-disposition": 'attachment; filename="report.txt"',
      })
      .end("the report");
  } else pages(url, response, request);
};

describe.skipIf(!hasChromium)(
  "what pages ask for",
  { timeout: 120_000 },
  () => {
    let world: Awaited<ReturnType<typeof startViews>>;
    let downloads: string;
    beforeAll(async () => {
      downloads = await mkdtemp(join(tmpdir(), "gantry-downloads-"));
      world = await startViews({
        site,
        browser: { downloads },
        tierOf: () => "read",
      });
    }, 60_000);
    afterAll(async () => {
      await world?.kernel.stop();
      await rm(downloads, { recursive: true, force: true });
    }, 60_000);

    async function openView() {
      const { body } = await world.kernel.api.post<Tab>("/api/browser/tabs", {
        // A secure origin, which may request the location.
        url: "http://site.localhost/",
      });
      const viewer = await openViewer(world.kernel, body.id);
      await viewer.sees(
        "tab",
        ({ tab }) => tab.title === "Ready" && !tab.loading,
      );
      return { id: body.id, viewer };
    }
    const evaluate = async (id: string, expression: string) => {
      const answer = await world.views
        .find(id)!
        .live(id)!
        .session.call<{ result: { value: unknown } }>("Runtime.evaluate", {
          expression,
        });
      return answer.result.value;
    };

    test("a dialog is answered by the viewer, and dismissed after a timeout", async () => {
      const { id, viewer } = await openView();
      viewer.click(50, 10);
      expect(
        await viewer.sees("dialog", ({ kind }) => kind !== null),
      ).toMatchObject({
        kind: "prompt",
        message: "Your name?",
        defaultText: "Ann",
      });
      viewer.send({ type: "dialog", accept: true, text: "Eve" });
      await viewer.sees("dialog", ({ kind }) => kind === null);
      await expect
        .poll(() => evaluate(id, "document.title"), { timeout: 30_000 })
        .toBe("said Eve");

      viewer.messages.length = 0;
      viewer.click(50, 10);
      await viewer.sees("dialog", ({ kind }) => kind === "prompt");
      await world.kernel.clock.advance(DIALOG_MS);
      await viewer.sees("dialog", ({ kind }) => kind === null);
      await expect
        .poll(() => evaluate(id, "document.title"), { timeout: 30_000 })
        .toBe("said null");
    });

    test("files that the user chose reach the page", async () => {
      const { viewer } = await openView();
      const uploads: string[] = [];
      for (const name of ["a.txt", "../b.txt"]) {
        const answer = await world.kernel.api.request(
          "POST",
          `/api/browser/uploads?name=${encodeURIComponent(name)}`,
          {
            body: Buffer.from(`content of ${name}`),
            headers: { "content-type": "text/plain" },
          },
        );
        expect(answer.status).toBe(200);
        uploads.push((answer.body as { id: string }).id);
      }
      viewer.click(50, 50);
      expect(await viewer.sees("chooser")).toMatchObject({ multiple: true });
      viewer.send({ type: "files", uploads });
      await expect
        .poll(() => told, { timeout: 30_000 })
        .toContain("a.txt=content of a.txt,b.txt=content of ../b.txt");
    });

    test("a download is recorded and its file put in the user's folder", async () => {
      const { viewer } = await openView();
      viewer.click(50, 90);
      const newest = async () => {
        const { body } = await world.kernel.api.get<{ items: Download[] }>(
          "/api/browser/downloads",
        );
        return body.items[0];
      };
      await expect.poll(newest, { timeout: 30_000 }).toMatchObject({
        state: "completed",
        fileName: "report.txt",
        url: "http://site.localhost/file",
        receivedBytes: 10,
        path: join(downloads, "report.txt"),
        agentId: null,
      });
      expect(await readFile(join(downloads, "report.txt"), "utf8")).toBe(
        "the report",
      );
    });

    test("a page that wants the location waits for the user, whose answer is kept", async () => {
      const { viewer } = await openView();
      viewer.click(50, 130);
      const { id, origin, kind } = await viewer.sees("permission");
      expect({ origin, kind }).toEqual({
        origin: "http://site.localhost",
        kind: "geolocation",
      });
      const count = told.length;
      viewer.send({ type: "permission", id, answer: "deny" });
      // GeolocationPositionError code 1: permission denied.
      await expect
        .poll(() => told.slice(count), { timeout: 30_000 })
        .toEqual(["1"]);
      const { body } = await world.kernel.api.get<{ items: object[] }>(
        "/api/browser/permissions",
      );
      expect(body.items).toMatchObject([{ origin, kind, decision: "deny" }]);
      viewer.click(50, 130);
      await expect
        .poll(() => told.slice(count), { timeout: 30_000 })
        .toEqual(["1", "1"]);
      expect(
        viewer.messages.filter(({ type }) => type === "permission"),
      ).toHaveLength(1);
    });

    test("an agent with the tier read downloads nothing", async () => {
      const agentId = "agt_aaaaaaaaaaaaaaaaaaaaaaaa";
      const { body } = await world.kernel.api.post<Tab>("/api/browser/tabs", {
        url: "http://site.localhost/file",
        agentId,
      });
      expect(body.ownerAgentId).toBe(agentId);
      const newest = async () => {
        const { body: list } = await world.kernel.api.get<{
          items: Download[];
        }>("/api/browser/downloads");
        return list.items[0];
      };
      await expect.poll(newest, { timeout: 30_000 }).toMatchObject({
        state: "failed",
        agentId,
        problem: expect.stringContaining("not download") as string,
      });
      await world.pool.end(agentId);
    });

    test("a tab that is closed while it loads leaves no page", async () => {
      await world.pool.end("user");
      for (let round = 0; round < 5; round++) {
        const { body } = await world.kernel.api.post<Tab>("/api/browser/tabs", {
          url: "http://site.localhost/",
        });
        await world.kernel.api.delete(`/api/browser/tabs/${body.id}`);
      }
      const { protocol } = world.pool.get("user")!;
      const pages = async () => {
        const { targetInfos } = await protocol.send<{
          targetInfos: { type: string }[];
        }>("Target.getTargets");
        return targetInfos.filter(({ type }) => type === "page");
      };
      await expect.poll(pages, { timeout: 30_000 }).toEqual([]);
    });

    test("an element is picked with all that an annotation keeps", async () => {
      const { viewer } = await openView();
      viewer.send({ type: "pick", x: 50, y: 170, commit: false });
      expect(await viewer.sees("picked")).toMatchObject({
        box: { x: 0, y: 160, width: 100, height: 20 },
      });
      viewer.send({ type: "pick", x: 50, y: 170, commit: true });
      const { draft } = await viewer.sees("annotation");
      expect(draft).toMatchObject({
        url: "http://site.localhost/",
        title: "Ready",
        text: "Pay now",
        box: { x: 0, y: 160, width: 100, height: 20 },
      });
      expect(draft.selector).toMatch(/pay/);
      expect(draft.styles).toContainEqual({
        name: "position",
        value: "absolute",
      });
      expect(draft.screenshot).toMatch(/^data:image\/png;base64,/);
      const { status } = await world.kernel.api.post(
        "/api/browser/annotations",
        { ...draft, comment: "Larger" },
      );
      expect(status).toBe(200);
    });

    test("a page cannot open more windows than a browser may have", async () => {
      const { viewer } = await openView();
      viewer.click(50, 210);
      const count = async () => {
        const { body } = await world.kernel.api.get<{ items: Tab[] }>(
          "/api/browser/tabs",
        );
        return body.items.length;
      };
      await expect.poll(count, { timeout: 30_000 }).toBeGreaterThan(1);
      // Those over the limit are closed in the browser too, not only removed from the list.
      const countPages = async () => {
        const { targetInfos } = await world.pool
          .get("user")!
          .protocol.send<{ targetInfos: { type: string }[] }>(
            "Target.getTargets",
          );
        return targetInfos.filter(({ type }) => type === "page").length;
      };
      await expect
        .poll(countPages, { timeout: 30_000 })
        .toBeLessThanOrEqual(MAX_TABS);
      expect(await count()).toBeLessThanOrEqual(MAX_TABS);
      await world.pool.end("user");
      expect(await count()).toBe(0);
    });

    test("the status names the browser, and what runs", async () => {
      await openView();
      const { body } = await world.kernel.api.get("/api/browser/status");
      expect(body).toMatchObject({
        found: true,
        sandbox: "off",
        version: expect.stringMatching(/^\d+\./) as string,
        running: [
          {
            profileId: "user",
            tabs: 1,
            memoryBytes: expect.any(Number) as number,
          },
        ],
      });
    });
  },
);
