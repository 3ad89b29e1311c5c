import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Finds the checkout of Gantry's repository that a folder lies in. */
export function findCheckout(folder: string): string | undefined {
  if (isCheckout(folder)) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findCheckout(parent);
}

function isCheckout(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(join(folder, "pnpm-workspace.yaml")) || !existsSync(file))
    return false;
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    return (manifest as { name?: unknown } | null)?.name === "gantry";
  } catch {
    // A `package.json` that is not valid JSON is not that of Gantry.
    return false;
  }
}
