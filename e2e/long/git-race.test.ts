import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { startDaemon } from "../support/daemon.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const CALLS = 200;
const AT_ONCE = 4;

/** Every operation that has the daemon read a repository. */
const READS = [
  "git",
  "git/head",
  "git/commit?hash=HEAD",
  "git/blob?hash=HEAD&path=README.md",
  "gitstatus",
  "gitdiff",
  "gitdiff?path=README.md",
  "delivery",
  "files?q=read",
];

let stack: AsyncDisposableStack;
let api: ApiClient;
let folder: string;
let repository: string;
let agentId: string;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const place = stack.use(await createTemporaryFolder("git-race"));
  folder = place.path;
  repository = await createGitRepository(join(folder, "project"));
  await mkdir(join(folder, "ran"));
  await writeFile(join(repository, "README.md"), "changed\n");
  api = await createApiClient(
    stack.use(await startDaemon(join(folder, "home"))),
  );
  const { body } = await api.call<{ id: string }>("POST", "/api/agents", {
    name: "Reader",
    cli: "practice",
    cwd: repository,
  });
  agentId = body.id;
});
afterAll(() => stack.disposeAsync());

test(`${CALLS} calls of each operation run no program of a repository whose configuration changes all the time`, async () => {
  await startExchanging(await hostileConfig());
  for (const operation of READS) {
    const statuses = new Map<number, number>();
    let left = CALLS;
    const work = async () => {
      while (left-- > 0) {
        const path = `/api/agents/${agentId}/${operation}`;
        const { status } = await api.call("GET", path);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect([operation, await readdir(join(folder, "ran"))]).toEqual([
      operation,
      [],
    ]);
    expect(statuses.get(200)).toBe(CALLS);
  }
});

/** A configuration that names programs, each of which leaves a file behind. */
async function hostileConfig(): Promise<string> {
  const program = async (name: string) => {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\n: > ${folder}/ran/${name}\n`);
    await chmod(file, 0o755);
    return file;
  };
  await writeFile(
    join(repository, ".gitattributes"),
    "* filter=odd diff=odd\n",
  );
  return `[core]
	repositoryformatversion = 0
	fsmonitor = ${await program("fsmonitor")}
[filter "odd"]
	clean = ${await program("clean")}
[diff]
	external = ${await program("external")}
[diff "odd"]
	textconv = ${await program("textconv")}
	command = ${await program("command")}
`;
}

/** Has a program replace the configuration by the hostile one and back until the test is over. */
async function startExchanging(hostile: string): Promise<void> {
  const program = `
    const { readFileSync, renameSync, writeFileSync } = require("node:fs");
    const file = ${JSON.stringify(join(repository, ".git/config"))};
    const contents = [readFileSync(file), ${JSON.stringify(hostile)}];
    process.stdout.write("ready");
    for (let turn = 1; ; turn = 1 - turn) {
      writeFileSync(file + ".next", contents[turn]);
      renameSync(file + ".next", file);
    }`;
  const child = spawn(process.execPath, ["-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  stack.defer(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
}
