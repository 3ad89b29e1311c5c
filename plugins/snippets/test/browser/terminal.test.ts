import { fileURLToPath } from "node:url";
import {
  chromiumPath,
  startBrowserStage,
} from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import { findBarriers } from "@gantry/ui-kit/testing";
import { keepPicture } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dialog } from "./support/parts.ts";

describe.skipIf(chromiumPath === undefined)(
  "snippets on the page of a terminal",
  () => {
    let stage: BrowserStage;

    beforeAll(async () => {
      vi.stubEnv("SHELL", "/bin/bash");
      stage = await startBrowserStage([], {
        package: fileURLToPath(new URL("../../", import.meta.url)),
        beside: ["../terminals"],
      });
      const { api } = stage.kernel;
      for (const fields of [
        { title: "List", kind: "command", body: "echo fi''rst\u202e" },
        { title: "Say", kind: "command", body: "echo {{word=hello}} th''ere" },
        { title: "Review", kind: "prompt", body: "Look at\n{{what}}" },
      ])
        expect((await api.post("/api/snips", fields)).status).toBe(200);
    });
    afterAll(async () => {
      const { items } = (
        await stage.kernel.api.get<{ items: { id: string }[] }>(
          "/api/terminals",
        )
      ).body;
      for (const { id } of items)
        await stage.kernel.api.delete(`/api/terminals/${id}`);
      await stage[Symbol.asyncDispose]();
      vi.unstubAllEnvs();
    });

    async function open(body: object, screen: "desk" | "phone" = "desk") {
      const { api } = stage.kernel;
      const { id } = (
        await api.post<{ id: string }>("/api/terminals", {
          cwd: stage.folder,
          ...body,
        })
      ).body;
      const visitor = await stage.open("/terminals", screen);
      await visitor.page.evaluate(() =>
        localStorage.setItem("gantry.terminals.screen-reader", "1"),
      );
      await visitor.page.goto(
        new URL(`/terminals/${id}`, visitor.page.url()).href,
      );
      const shows = (text: string) =>
        expect
          .poll(() =>
            visitor.page.locator(".xterm-accessibility-tree").innerText(),
          )
          .toContain(text);
      return { ...visitor, id, shows };
    }
    const openShell = async (name: string, screen?: "desk" | "phone") => {
      const opened = await open(
        { name, kind: "shell", command: "/bin/bash" },
        screen,
      );
      const isReady = async () =>
        (
          await stage.kernel.api.get<{ prompt: string }>(
            `/api/terminals/${opened.id}`,
          )
        ).body.prompt;
      await expect.poll(isReady).toBe("ready");
      return opened;
    };

    test(
      "a command runs in a shell after one question with its exact text",
      { tags: "thorough" },
      async () => {
        const { page, shows, leave } = await openShell("build");
        const button = page.getByRole("button", { name: "Run command…" });
        await button.focus();
        await page.keyboard.press("Enter");
        const list = page.getByRole("menuitem", { name: "List" });
        await list.waitFor();
        expect(
          await page.getByRole("menuitem", { name: "Review" }).count(),
        ).toBe(0);
        await list.click();
        const question = dialog(page, "Run this in build?");
        expect(await question.locator("[data-exact-text]").textContent()).toBe(
          "echo fi''rst⟨U+202E⟩",
        );
        expect(await findBarriers(page, { within: "[role=dialog]" })).toEqual(
          [],
        );
        await keepPicture(page, "snippets/run-command-desk");
        // The first key does nothing by accident, and leads back to the terminal.
        await page.keyboard.press("Enter");
        await question.waitFor({ state: "detached" });
        expect(await page.getByRole("dialog").count()).toBe(0);
        await button.click();
        await list.click();
        await question.getByRole("button", { name: "Run" }).click();
        await page.getByText("Sent to build").waitFor();
        await shows("first");

        await button.click();
        await page.getByRole("menuitem", { name: "Say" }).click();
        const fill = dialog(page, "Say");
        await fill.getByText("Runs in the terminal build").waitFor();
        await fill.getByRole("textbox", { name: "word" }).fill("all");
        await fill.getByRole("button", { name: "Run" }).click();
        await question.getByRole("button", { name: "Run" }).click();
        await shows("all there");
        await leave();
      },
    );

    test(
      "a prompt is sent to the screen of a CLI, which is named with the text",
      { tags: ["thorough"] },
      async () => {
        const { page, shows, leave } = await open({
          ...{ name: "claude", kind: "cli" },
          command: `sh -c 'printf "\\033[?2004h"; while read line; do echo "got $line"; done'`,
        });
        await page.getByRole("button", { name: "Send to terminal…" }).click();
        await page.getByRole("menuitem", { name: "Review" }).waitFor();
        expect(await page.getByRole("menuitem", { name: "List" }).count()).toBe(
          0,
        );
        await page.getByRole("menuitem", { name: "Review" }).click();
        const fill = dialog(page, "Review");
        await fill.getByText("Goes to the terminal claude").waitFor();
        await fill.getByRole("textbox", { name: "what" }).fill("the tests");
        expect(await findBarriers(page, { within: "[role=dialog]" })).toEqual(
          [],
        );
        await keepPicture(page, "snippets/send-to-terminal-desk");
        await fill.getByRole("button", { name: "Send" }).click();
        await page.getByText("Sent to claude").waitFor();
        await shows("the tests");
        await leave();
      },
    );

    test(
      "what keeps a command from being run is said, and nothing is left behind",
      { tags: ["thorough"] },
      async () => {
        const { page, id, leave, faults } = await openShell("busy");
        await stage.kernel.api.post(`/api/terminals/${id}/run`, {
          command: "sleep 1000",
        });
        await page.getByRole("button", { name: "Run command…" }).click();
        await page.getByRole("menuitem", { name: "List" }).click();
        const form = dialog(page, "List");
        await form.getByText("not at its prompt").waitFor();
        await page.keyboard.press("Escape");
        await form.waitFor({ state: "detached" });
        faults.length = 0;
        await leave();
      },
    );

    test("both dialogs fit on a phone", { tags: ["thorough"] }, async () => {
      const { page, leave } = await openShell(
        "a name that is rather long for a phone",
        "phone",
      );
      await page.getByRole("button", { name: "Run command…" }).click();
      await page.getByRole("menuitem", { name: "List" }).waitFor();
      await keepPicture(page, "snippets/run-command-menu-phone");
      expect(await findBarriers(page, { within: "[role=menu]" })).toEqual([]);
      await page.getByRole("menuitem", { name: "List" }).click();
      await page.getByRole("button", { name: "Cancel" }).waitFor();
      await keepPicture(page, "snippets/run-command-phone");
      await page.getByRole("button", { name: "Cancel" }).click();
      await leave();
      const cli = await open(
        { name: "claude", kind: "cli", command: "sleep 1000" },
        "phone",
      );
      await cli.page.getByRole("button", { name: "Send to terminal…" }).click();
      await cli.page.getByRole("menuitem", { name: "Review" }).click();
      await dialog(cli.page, "Review").waitFor();
      await keepPicture(cli.page, "snippets/send-to-terminal-phone");
      await cli.leave();
    });
  },
);
