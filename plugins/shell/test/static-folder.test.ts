import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { H3 } from "h3";
import { expect, onTestFinished, test } from "vitest";
import { serveFrom } from "../src/static-folder.ts";

/** A folder that is served, beside a file that is not, and a way to ask for what is in it. */
async function serve() {
  const root = await mkdtemp(join(tmpdir(), "gantry-shell-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, "public");
  await mkdir(join(folder, "chunks"), { recursive: true });
  const files = {
    "secret.txt": "secret",
    "public/page.js": "page",
    "public/page.js.br": "brotli",
    "public/page.js.gz": "gzip",
    "public/chunks/part.css": "part",
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(root, name), content);
  await symlink(join(root, "secret.txt"), join(folder, "link.txt"));
  await symlink(root, join(folder, "away"));
  await symlink(join(folder, "page.js"), join(folder, "inside.js"));
  const app = new H3().all("/**", async (event) => {
    const path = event.url.searchParams.get("path") ?? "";
    const answer = await serveFrom(folder, path, event, { immutable: false });
    return answer ?? "nothing";
  });
  return async (path: string, encoding = "") => {
    const headers = { "accept-encoding": encoding };
    const asked = `/?path=${encodeURIComponent(path)}`;
    const answer = await app.request(asked, { headers });
    return { text: await answer.text(), headers: answer.headers };
  };
}

test("files of the folder are served, as they are and compressed", async () => {
  const ask = await serve();
  expect((await ask("/page.js")).text).toBe("page");
  expect((await ask("/inside.js")).text).toBe("page");
  expect((await ask("/page.js", "gzip, br")).text).toBe("brotli");
  const { text, headers } = await ask("/page.js", "gzip");
  expect(text).toBe("gzip");
  expect(headers.get("content-encoding")).toBe("gzip");
  const part = await ask("/chunks/part.css");
  expect(part.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(part.headers.get("cache-control")).toBe("no-cache");
});

test.each([
  "/../secret.txt",
  "/chunks/../../secret.txt",
  "/..%2fsecret.txt",
  "/link.txt",
  "/away/secret.txt",
  "/away/public/../secret.txt",
  "/page.js\0.txt",
  "/chunks",
  "/",
  "",
])("nothing is served at %j, which is no file of the folder", async (path) => {
  const ask = await serve();
  const { text, headers } = await ask(path);
  expect(text).toBe("nothing");
  expect(headers.get("cache-control")).toBe(null);
});
