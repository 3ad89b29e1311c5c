import { join } from "node:path";
import { createStamp, rootFolder, runStep } from "./shell.mjs";

/** Installs the workspace's dependencies as locked, once for each lock file. */
export function installWorkspace({ env }) {
  const stamp = createStamp(join(rootFolder, "node_modules/.gantry-stamp"), [
    join(rootFolder, "pnpm-lock.yaml"),
    join(rootFolder, "pnpm-workspace.yaml"),
  ]);
  if (stamp.isFresh()) return;
  console.error("Installing dependencies…");
  runStep(
    "pnpm",
    [
      "install",
      "--frozen-lockfile",
      "--prefer-offline",
      "--reporter=append-only",
      "--loglevel=warn",
    ],
    {
      env,
    },
  );
  stamp.write();
}
