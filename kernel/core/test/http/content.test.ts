import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { fileContent, redirectTo, textContent } from "@gantry/plugin";
import type { ContentDefinition } from "@gantry/plugin";
import { createShell } from "@gantry/test-support/built-shell";
import { temporaryFolder } from "@gantry/test-support/temporary";
import { startProbe } from "../support/probe.ts";

const MOUNTS = ["/api/probe", "/content/probe"];

async function startWith(...contents: ContentDefinition[]) {
  return startProbe({
    mounts: MOUNTS,
    setup: (ctx) => contents.forEach((content) => void ctx.content(content)),
  });
}

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

test("files of a folder are served with their type and an ETag, and nothing outside of it", async () => {
  const folder = await folderWith({
    "public/a.css": ".a{}",
    "public/deep/b.js": "export {};",
    "secret.txt": "secret",
  });
  await using kernel = await startWith({
    path: "/content/probe/**",
    access: "session",
    handle: ({ path, search }) =>
      fileContent(
        join(folder, "public"),
        path.slice("/content/probe".length) || "/",
        { immutable: search.has("v") },
      ),
  });
  const sheet = await kernel.api.get<string>("/content/probe/a.css");
  expect(sheet).toMatchObject({ status: 200, body: ".a{}" });
  expect(sheet.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(sheet.headers.get("cache-control")).toBe("no-cache");
  const again = await kernel.api.open("/content/probe/a.css", {
    headers: { "if-none-match": sheet.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
  const script = await kernel.api.get<string>("/content/probe/deep/b.js?v=1");
  expect(script.headers.get("cache-control")).toContain("immutable");
  for (const path of ["../secret.txt", "..%2fsecret.txt", "x.css", "", "deep"])
    expect(
      await kernel.api.get(`/content/probe/${path}`),
      path,
    ).not.toMatchObject({ status: 200 });
  expect(await kernel.stranger.get("/content/probe/a.css")).toMatchObject({
    status: 401,
  });
});

test("every page gets a policy that lets run what is in it, whether it is a text or a file", async () => {
  const html = "<!doctype html><script>go()</script>";
  const folder = await folderWith({ "page.html": html });
  const page = (path: string, handle: ContentDefinition["handle"]) => ({
    ...{ path, handle, access: "public" as const, trustedTypes: ["mine"] },
  });
  await using kernel = await startWith(
    page("/content/probe/text", () => textContent("text/html", html)),
    page("/content/probe/file", () => fileContent(folder, "/page.html")),
  );
  const policies = [];
  for (const path of ["/content/probe/text", "/content/probe/file"]) {
    const { status, headers } = await kernel.stranger.get<string>(path);
    expect(status, path).toBe(200);
    expect(headers.get("x-frame-options"), path).toBe("DENY");
    policies.push(headers.get("content-security-policy"));
  }
  expect(policies[0]).toMatch(
    /^default-src 'none'; script-src 'self' 'sha256-.*trusted-types mine$/,
  );
  expect(policies[1]).toBe(policies[0]);
});

test.each(["*", "'allow-duplicates'", "x; report-uri //evil.example", ""])(
  "a page cannot weaken its policy with the name of one of its own: %o",
  async (name) => {
    await using kernel = await startWith();
    const content: ContentDefinition = {
      path: "/content/probe",
      access: "public",
      trustedTypes: [name],
      handle: () => textContent("text/html", ""),
    };
    expect(() => kernel.ctx.content(content)).toThrow(/Trusted Types/);
  },
);

test("what may run scripts as a page and is no HTML is in a sandbox, and a script is not", async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>go()</script></svg>`;
  const folder = await folderWith({ "a.svg": svg, "a.mjs": "go()" });
  const texts = ["application/xhtml+xml", "image/svg+xml", " text/html"];
  await using kernel = await startWith(
    {
      path: "/content/probe/file/**",
      access: "session",
      handle: ({ path }) => fileContent(folder, path.slice(19)),
    },
    ...texts.map((mediaType, index) => ({
      path: `/content/probe/${index}`,
      access: "session" as const,
      handle: () => textContent(mediaType, svg),
    })),
  );
  const policyOf = async (path: string) => {
    const { status, headers } = await kernel.api.get(`/content/probe/${path}`);
    expect(status, path).toBe(200);
    return headers.get("content-security-policy");
  };
  for (const path of ["file/a.svg", ...texts.keys()])
    expect(await policyOf(String(path)), String(path)).toBe("sandbox");
  expect(await policyOf("file/a.mjs")).toBeNull();
});

test("it learns who is paired, also where it need not be, and may redirect", async () => {
  await using kernel = await startWith({
    path: "/content/probe",
    access: "public",
    handle: ({ caller, canonicalOrigin }) =>
      caller
        ? textContent("text/plain", caller.kind)
        : redirectTo(`${canonicalOrigin}/pair`),
  });
  expect((await kernel.api.get<string>("/content/probe")).body).toBe("browser");
  const answer = await fetch(`${kernel.url}/content/probe`, {
    redirect: "manual",
  });
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe(
    `http://gantry.localhost:${kernel.kernel.port}/pair`,
  );
});

test("what it throws is answered as for an operation, and it goes with its plugin", async () => {
  await using kernel = await startWith(
    {
      path: "/content/probe/fault",
      access: "session",
      handle: () => {
        throw new Error("It went wrong.");
      },
    },
    {
      path: "/content/probe/fine",
      access: "session",
      handle: () => textContent("text/plain", "fine"),
    },
  );
  kernel.expectFault(/It went wrong/);
  expect(await kernel.api.get("/content/probe/fault")).toMatchObject({
    status: 500,
    body: { code: "KERNEL_FAULT" },
  });
  expect(await kernel.api.request("POST", "/content/probe/fine")).toMatchObject(
    { status: 405 },
  );
  await kernel.kernel.plugins.stop("probe");
  expect(await kernel.api.get("/content/probe/fine")).toMatchObject({
    status: 503,
    body: { code: "PLUGIN_UNAVAILABLE" },
  });
});

test("while its plugin does not run, a paired browser gets 503, also beside the pages of the daemon", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const handle = vi.fn(() =>
    released.then(() => textContent("text/plain", "done")),
  );
  await using kernel = await startProbe(
    {
      mounts: MOUNTS,
      setup: (ctx) =>
        void ctx.content({
          path: "/content/probe/**",
          access: "session",
          handle,
        }),
    },
    { shell: await createShell() },
  );
  const { api, stranger } = kernel;
  const first = api.get("/content/probe/a");
  await vi.waitFor(() => expect(handle).toHaveBeenCalledOnce());
  const stopping = kernel.kernel.plugins.stop("probe");
  await vi.waitFor(() => expect(kernel.ctx.signal.aborted).toBe(true));
  const unavailable = { status: 503, body: { code: "PLUGIN_UNAVAILABLE" } };
  expect(await api.get("/content/probe/a")).toMatchObject(unavailable);
  release();
  expect(await first).toMatchObject({ status: 200, body: "done" });
  await stopping;
  for (const path of ["/content/probe/a", "/content/probe/a.js"])
    expect(await api.get(path), path).toMatchObject(unavailable);
  expect(await api.get("/content/other")).toMatchObject({ status: 404 });
  expect(await stranger.get("/content/probe/a")).toMatchObject({ status: 404 });
});

test.each([
  "/api/probe/page",
  "/content/other",
  "/",
  "/**",
  "/content/probe/:id",
  "/content/probe/",
  "/content/probe/%61",
  "/content/probe/\\*",
])("an address outside of its mounts is refused: %s", async (path) => {
  await using kernel = await startWith();
  const handle = () => undefined;
  expect(() => kernel.ctx.content({ path, access: "session", handle })).toThrow(
    /outside the mounts/,
  );
});

test("an operation does not lie where content does", async () => {
  await using kernel = await startWith();
  const route = {
    method: "GET" as const,
    summary: "x",
    access: "session" as const,
    returns: "bytes" as const,
    handle: () => textContent("", "") as never,
  };
  expect(() =>
    kernel.ctx.route({ ...route, path: "/content/probe/x" }),
  ).toThrow(/outside the mounts/);
});
