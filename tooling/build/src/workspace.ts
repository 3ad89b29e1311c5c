import { existsSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";

/**
 * The export conditions to resolve a plugin's imports with. `gantry-source` takes packages from their TypeScript, so that
 * nothing of a workspace has to be built first; an installed package does not ship that, so it is used only where
 * the Gantry packages are links into a workspace.
 */
export function sourceConditions(folder: string): string[] {
  const linked = ["@gantry/plugin", "@gantry/ui-kit"].some((name) => {
    const found = findPackage(folder, name);
    return (
      found !== undefined &&
      !realpathSync(found).split(sep).includes("node_modules")
    );
  });
  return linked ? ["gantry-source"] : [];
}

function findPackage(folder: string, name: string): string | undefined {
  const candidate = join(folder, "node_modules", name);
  if (existsSync(candidate)) return candidate;
  const parent = dirname(folder);
  return parent === folder ? undefined : findPackage(parent, name);
}
