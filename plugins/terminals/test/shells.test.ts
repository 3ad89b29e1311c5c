import { WAIT_MS } from "@gantry/build/testing";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { startTerminals } from "./support/start-terminals.ts";

/** Where a shell is on this machine: in the system's own folders, or those in `GANTRY_TEST_SHELLS`. */
const findShell = (name: string) =>
  ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    .concat(process.env.GANTRY_TEST_SHELLS?.split(delimiter) ?? [])
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

/** The prompt in each shell's own file, so that reading it is seen as well. */
const OWN_FILES: Record<string, Record<string, string>> = {
  bash: { ".bashrc": "PS1='mine> '\nunset HISTFILE\n" },
  zsh: {
    ".zshenv": "export FROM_ENV=yes\n",
    ".zshrc": "PS1='mine> '\nunset HISTFILE\n",
  },
  fish: {
    ".config/fish/config.fish":
      "function fish_prompt\n  printf 'mine> '\nend\n",
  },
};

/**
 * Interrupts until the shell is at its prompt: before the command is in the foreground, nothing comes of it. Not again too
 * soon, since an interrupt at the prompt discards what is typed after it.
 */
const interrupt = (
  viewer: { type(text: string): void },
  prompt: () => Promise<string>,
) =>
  vi.waitFor(async () => {
    viewer.type("\u0003");
    await expect.poll(prompt, { timeout: WAIT_MS / 5 }).toBe("ready");
  });

for (const [name, files] of Object.entries(OWN_FILES)) {
  const file = findShell(name);
  test.skipIf(!file)(`${name} tells when it is at its prompt`, async () => {
    const { user, open, look, get, api } = await startTerminals();
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(user, path)), { recursive: true });
      await writeFile(join(user, path), text);
    }
    const { id } = await open({ command: file });
    const state = (wanted: string) =>
      vi.waitFor(async () => expect((await get(id)).prompt).toBe(wanted), {
        interval: 20,
      });
    await state("ready");
    const viewer = await look(id);
    await viewer.sees("mine> ");
    const run = (command: string) =>
      api.post(`/api/terminals/${id}/run`, { command });
    await vi.waitFor(async () =>
      expect((await run("sleep 1000")).status).toBe(200),
    );
    await state("busy");
    expect((await run("echo stray")).status).toBe(409);
    await interrupt(viewer, async () => (await get(id)).prompt);
    await vi.waitFor(async () =>
      expect(
        (await run("printenv | grep -c -e NONCE -e GANTRY_USER; echo rea''dy"))
          .status,
      ).toBe(200),
    );
    await viewer.sees(/0\r\n(.*)ready/s);
    expect(viewer.text()).not.toContain("stray");
    if (name === "zsh") {
      await state("ready");
      await run('echo "env $FROM_ENV, folder [$ZDOTDIR]"');
      await viewer.sees("env yes, folder []");
    }
  });
}

test.each([
  ["set -u\n"],
  ["set -eu\nunset PS0\n"],
  ["PROMPT_COMMAND=('true' 'true')\nset -u\n"],
  ["trap 'true' DEBUG\nset -f\nIFS=:\n"],
])("bash tells after %j in its start file", async (text) => {
  const { user, open, look, get } = await startTerminals();
  await writeFile(join(user, ".bashrc"), `unset HISTFILE\n${text}`);
  const { id } = await open({ command: findShell("bash") });
  const state = (wanted: string) =>
    expect.poll(async () => (await get(id)).prompt).toBe(wanted);
  await state("ready");
  const viewer = await look(id);
  // With -e the shell would end along with the command that is interrupted.
  viewer.type("set +e; sleep 1000\r");
  await state("busy");
  await interrupt(viewer, async () => (await get(id)).prompt);
  // Options may also change later.
  viewer.type("set -u; unset PS0; PS1='mine> '\r");
  await viewer.sees("mine> ");
  viewer.type("sleep 1000\r");
  await state("busy");
  expect(viewer.text()).not.toMatch(/unbound|readonly|not found/);
});

test.each([
  ["readonly PROMPT_COMMAND='true'\n", "unknown"],
  ["", "ready"],
])(
  "bash is unknown where its marks do not come, after %j",
  async (text, before) => {
    const { user, open, look, get, api } = await startTerminals();
    await writeFile(
      join(user, ".bashrc"),
      `PS1='mine> '\nunset HISTFILE\n${text}`,
    );
    const { id } = await open({ command: findShell("bash") });
    const viewer = await look(id);
    await viewer.sees("mine> ");
    await expect.poll(async () => (await get(id)).prompt).toBe(before);
    viewer.type("unset PROMPT_COMMAND PS0; echo un''set\r");
    await viewer.sees("unset\r");
    // Typed before this prompt, the next line would run without any mark after the one that says that the shell is ready.
    await expect.poll(async () => (await get(id)).prompt).toBe(before);
    viewer.type("echo be''gun; sleep 1000\r");
    await viewer.sees("begun\r");
    // The host tells it a moment after what was written.
    await expect.poll(async () => (await get(id)).prompt).toBe("unknown");
    expect(
      (await api.post(`/api/terminals/${id}/run`, { command: "echo stray" }))
        .status,
    ).toBe(409);
    expect(viewer.text()).not.toMatch(/readonly variable\r\nmine/);
  },
);

test("a prompt that is set again each time keeps its mark", async () => {
  const { user, open, get, api } = await startTerminals();
  await writeFile(
    join(user, ".bashrc"),
    "unset HISTFILE\nPROMPT_COMMAND='PS1=\"$SECONDS> \"'\n",
  );
  const { id } = await open();
  for (let round = 0; round < 3; round++)
    await vi.waitFor(
      async () => {
        expect((await get(id)).prompt).toBe("ready");
        expect(
          (await api.post(`/api/terminals/${id}/run`, { command: "true" }))
            .status,
        ).toBe(200);
      },
      { interval: 20 },
    );
});

test("another program under a shell's name is started as it is", async () => {
  const { user, open, look } = await startTerminals();
  const file = join(user, "my-shell");
  await writeFile(
    file,
    '#!/bin/sh\necho "started with $# arguments"\nread x\n',
  );
  await chmod(file, 0o700);
  const { id, name } = await open({ command: file });
  expect(name).toBe(basename(file));
  const viewer = await look(id);
  await viewer.sees("started with 0 arguments");
});
