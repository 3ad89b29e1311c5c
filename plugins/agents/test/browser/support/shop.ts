import { join } from "node:path";
import { isThorough, keepPicture } from "@gantry/build/testing";
import { findBarriers } from "@gantry/ui-kit/testing";
import { expect } from "vitest";
import {
  createRepository,
  plainGit,
  writeFiles,
} from "../../help/plain-git.ts";
import type { House } from "./house.ts";

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const CHANGED = LINES.map((line, index) =>
  index === 2 || index === 35 ? `${line} changed` : line,
);

/** Repositories to ship from, and the parts of the page that do it. */
export function useShops(house: () => House) {
  /** A shop whose remote is a folder beside it, with changes in three files. */
  async function createShop(name: string) {
    const { folder } = house();
    const remote = join(folder, `${name}.git`);
    await plainGit(folder, "init", "-q", "--bare", "-b", "main", remote);
    const cwd = await createRepository(join(folder, name), {
      "long.txt": `${LINES.join("\n")}\n`,
      "src/prices.ts": "export const PRICE = 1;\n",
    });
    await plainGit(cwd, "config", "user.name", "Ann");
    await plainGit(cwd, "config", "user.email", "ann@example.org");
    await plainGit(cwd, "remote", "add", "origin", remote);
    await plainGit(cwd, "push", "-q", "-u", "origin", "main");
    await plainGit(cwd, "switch", "-qc", "feature/prices");
    await writeFiles(cwd, {
      "long.txt": `${CHANGED.join("\n")}\n`,
      "src/prices.ts": "export const PRICE = 2;\n",
      "src/new file.ts": "export {};\n",
    });
    const { id } = await house().createAgent({ name, cwd });
    return { cwd, id, remote };
  }

  const open = (id: string) =>
    house().page.goto(`${house().daemon.url}/agents/${id}/changes`);
  const panel = () =>
    house().page.getByRole("region", { name: "Commit and push" });
  const button = (name: string | RegExp) =>
    panel().getByRole("button", { name, exact: typeof name === "string" });
  const message = () =>
    panel().getByRole("textbox", { name: "Commit message" });
  const subject = (folder: string, ...of: string[]) =>
    plainGit(folder, "log", "-1", "--format=%s", ...of);

  /** Nothing sticks out, and axe finds nothing. */
  async function inspect(name: string): Promise<void> {
    const { page } = house();
    const screens = [
      ["desk", 1280, 800, "light"],
      ["phone", 390, 844, "dark"],
    ] as const;
    for (const [screen, width, height, colorScheme] of screens.slice(
      0,
      isThorough ? 2 : 1,
    )) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      const isTooWide = await page.evaluate(
        () => document.documentElement.scrollWidth > window.innerWidth,
      );
      expect([name, screen, isTooWide]).toEqual([name, screen, false]);
      const barriers = await findBarriers(page);
      await keepPicture(page, `screenshots/shipping-${name}-${screen}`);
      expect(barriers, `${name} on a ${screen}`).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  /** Takes refusals out that the test caused: the browser reports those too. */
  function expectRefusals(count: number): void {
    const { faults } = house().visitor;
    const refusals = faults.filter((fault) => /status of 40[39]/.test(fault));
    const others = faults.filter((fault) => !refusals.includes(fault));
    faults.splice(0, faults.length, ...others);
    house().expectPeace();
    expect(refusals).toHaveLength(count);
  }
  return {
    createShop,
    open,
    panel,
    button,
    message,
    subject,
    inspect,
    expectRefusals,
  };
}
