import { layers } from "../src/rules/layers.ts";
import { testRule } from "./rule-tester.ts";

const SERVER = "plugins/notes/src/routes/list.ts";
const PAGE = "plugins/notes/ui/pages/NoteList.ts";
const TEST = "plugins/notes/test/list.test.ts";

testRule("layers", layers, {
  valid: [
    [SERVER, 'import { defineRoute } from "@gantry/plugin";'],
    [SERVER, 'import { pageOf } from "@gantry/plugin/zod";'],
    [
      "plugins/notes/src/host/main.ts",
      'import { findMarkedProcesses } from "@gantry/plugin/processes";',
    ],
    [SERVER, 'import { Inbox } from "@gantry/plugin-inbox/contract";'],
    [SERVER, 'import { createGit } from "@gantry/git-kit";'],
    [SERVER, 'import { runReadingGit } from "@gantry/git-kit/program";'],
    [TEST, 'import { createGit } from "@gantry/git-kit";'],
    [
      "plugins/git-kit/src/create-git.ts",
      'import type { Run } from "@gantry/plugin";',
    ],
    [SERVER, 'import * as z from "zod"; import { join } from "node:path";'],
    [
      SERVER,
      'import { Notes } from "../notes.ts"; export * from "../contract.ts";',
    ],
    [PAGE, 'import { useApi } from "@gantry/ui-kit";'],
    [PAGE, 'import type { Note } from "../../src/contract.ts";'],
    [
      "plugins/notes/ui/Note.vue",
      '<script setup lang="ts">import { useApi } from "@gantry/ui-kit";</script>',
    ],
    [TEST, 'import { startTestKernel } from "@gantry/plugin-testing";'],
    [TEST, 'import { startModelServer } from "@gantry/model-server";'],
    [TEST, 'import { WAIT_MS } from "@gantry/build/testing";'],
    [TEST, 'import plugin from "../src/index.ts";'],
    [
      "plugins/notes/vitest.config.ts",
      'export { default } from "@gantry/build/vitest";',
    ],
    [
      "kernel/core/src/kernel.ts",
      'import { isGantryError } from "@gantry/plugin";',
    ],
    [
      "kernel/testing/src/index.ts",
      'import { createKernel } from "@gantry/kernel";',
    ],
    [
      "kernel/testing/src/index.ts",
      'import { createShellPlugin } from "@gantry/plugin-shell";',
    ],
    [
      "kernel/testing/plugins/doctor/commands.ts",
      'export { default } from "@gantry/plugin-doctor/commands";',
    ],
    [
      "kernel/store/test/store.test.ts",
      'import { createFakeClock } from "../../testing/src/index.ts";',
    ],
    ["kernel/cli/src/main.ts", 'import "@gantry/kernel/kernel";'],
    ["kernel/core/src/main.ts", 'import "@gantry/store/engine";'],
    ["kernel/store/src/engine.ts", 'import "@gantry/system/errors";'],
    [
      "kernel/store/src/open-store.ts",
      'const { openUnstorage } = await import("@gantry/storage-unstorage");',
    ],
    [
      "plugins/storage-unstorage/test/lease.test.ts",
      'import { createFakeClock } from "../../../kernel/testing/src/index.ts";',
    ],
    [
      "kernel/contract/src/plugin.ts",
      'import type { Clock } from "./clock.ts";',
    ],
    [
      "kernel/contract/test/route.test.ts",
      'import { defineRoute } from "../src/index.ts";',
    ],
    [
      "kernel/contract/vitest.config.ts",
      'export { default } from "@gantry/build/vitest";',
    ],
    [
      "ui/shell/app/app.vue",
      '<script setup lang="ts">import { useApi } from "@gantry/ui-kit";</script>',
    ],
    ["e2e/test/plugins.test.ts", 'import notes from "@gantry/plugin-notes";'],
  ],
  invalid: [
    [
      "kernel/system/src/log/log.ts",
      'import { openEngine } from "@gantry/store/engine";',
      /@gantry\/system imports of the workspace only @gantry\/plugin, not/,
    ],
    [
      "kernel/restore/src/restore.ts",
      'import { openUnstorage } from "@gantry/storage-unstorage";',
      /@gantry\/restore imports of the workspace only/,
    ],
    [
      "plugins/storage-unstorage/src/lease.ts",
      'import { openEngine } from "@gantry/store/engine";',
      /not @gantry\/store/,
    ],
    [
      "plugins/storage-unstorage/src/lease.ts",
      'import { createFakeClock } from "../../../kernel/testing/src/index.ts";',
      /This path leaves plugins\/storage-unstorage/,
    ],
    [
      "kernel/store/src/engine.ts",
      'import { createApp } from "../../src/kernel.ts";',
      /This path leaves kernel\/store/,
    ],
    [
      SERVER,
      'import { createKernel } from "@gantry/kernel";',
      /imports of the workspace only .* not @gantry\/kernel/,
    ],
    [
      SERVER,
      'import { useApi } from "@gantry/ui-kit";',
      /Only a plugin's ui\/ may import @gantry\/ui-kit/,
    ],
    [
      SERVER,
      'import { startTestKernel } from "@gantry/plugin-testing";',
      /not @gantry\/plugin-testing/,
    ],
    [
      SERVER,
      'import inbox from "@gantry/plugin-inbox";',
      /only its contract .* @gantry\/plugin-inbox\/contract/,
    ],
    [
      SERVER,
      'import type { Item } from "@gantry/plugin-inbox/src/items.ts";',
      /only its contract/,
    ],
    [
      SERVER,
      'type Item = import("@gantry/plugin-inbox").Item;',
      /only its contract/,
    ],
    [
      SERVER,
      'export { items } from "@gantry/plugin-inbox";',
      /only its contract/,
    ],
    [
      SERVER,
      'const inbox = await import("@gantry/plugin-inbox");',
      /only its contract/,
    ],
    [
      SERVER,
      'const inbox = require("@gantry/plugin-inbox");',
      /only its contract/,
    ],
    [
      SERVER,
      'import { notes } from "@gantry/plugin-notes";',
      /by a relative path/,
    ],
    [
      SERVER,
      'import { items } from "../../../inbox/src/contract.ts";',
      /leaves plugins\/notes/,
    ],
    [
      TEST,
      'import { clock } from "../../../kernel/testing/src/clock.ts";',
      /leaves plugins\/notes/,
    ],
    [TEST, 'import inbox from "@gantry/plugin-inbox";', /only its contract/],
    [PAGE, 'import { build } from "@gantry/build";', /not @gantry\/build/],
    [
      "plugins/notes/ui/Note.vue",
      '<script setup lang="ts">import "@gantry/plugin-inbox";</script>',
      /only its contract/,
    ],
    [
      PAGE,
      'import { createGit } from "@gantry/git-kit";',
      /not @gantry\/git-kit/,
    ],
    [
      "plugins/git-kit/src/create-git.ts",
      'import { gitErrors } from "@gantry/git-kit";',
      /by a relative path/,
    ],
    [
      "plugins/git-kit/src/create-git.ts",
      'import agents from "@gantry/plugin-agents";',
      /only its contract/,
    ],
    [
      "kernel/core/src/main.ts",
      'import { createGit } from "@gantry/git-kit";',
      /The kernel imports no plugin/,
    ],
    [
      "kernel/core/src/main.ts",
      'import agents from "@gantry/plugin-agents";',
      /The kernel imports no plugin/,
    ],
    [
      "kernel/core/src/main.ts",
      'import type { Runs } from "@gantry/plugin-agents/contract";',
      /not even for types/,
    ],
    [
      "kernel/core/src/main.ts",
      'import "../../../plugins/agents/src/index.ts";',
      /The kernel imports no plugin/,
    ],
    [
      "kernel/testing/src/index.ts",
      'import "@gantry/plugin-agents";',
      /The kernel imports no plugin/,
    ],
    [
      "kernel/contract/src/plugin.ts",
      'import "../../src/kernel.ts";',
      /leaves kernel\/contract/,
    ],
    [
      "kernel/contract/src/plugin.ts",
      'import "@gantry/kernel";',
      /imports nothing of the workspace/,
    ],
    [
      "ui/shell/app/app.ts",
      'import "@gantry/plugin-agents/contract";',
      /know no plugin/,
    ],
    [
      "ui/kit/src/index.ts",
      'import "../../../plugins/agents/ui/index.ts";',
      /know no plugin/,
    ],
  ],
});
