import type { Mutant } from "./mutant.ts";

const rows: readonly Omit<Mutant, "folder">[] = [
  {
    name: "Git wrapper: programs of the repository's choice",
    file: "src/call-git.ts",
    find: "...view.variables,",
    by: "",
    tests: ["test/git.test.ts"],
  },
  {
    name: "Git wrapper: only known settings of the repository",
    file: "src/git-views.ts",
    find: "formatConfig(keepSettings(config.entries))",
    by: "formatConfig(config.entries)",
    tests: ["test/git.test.ts"],
  },
  {
    name: "Git wrapper: settings as they were when they were looked at",
    file: "src/create-view.ts",
    find: `writeFile(join(draft, "config"), settings, {
        encoding: "latin1",
        mode: 0o600,
      }),`,
    by: 'symlink(join(common, "config"), join(draft, "config")),',
    tests: ["test/race.test.ts"],
  },
  {
    name: "Git wrapper: objects of other repositories",
    file: "src/create-view.ts",
    find: '"objects/info/commit-graph",',
    by: '"objects/info/alternates",',
    tests: ["test/outside.test.ts"],
  },
  {
    name: "Git wrapper: its own options",
    file: "src/create-git.ts",
    find: "return plan.args;",
    by: "return [command, ...words];",
    tests: ["test/git.test.ts"],
  },
  {
    name: "Git wrapper: options of the caller",
    file: "src/create-git.ts",
    find: "if (refused !== undefined)",
    by: "if (false)",
    tests: ["test/git.test.ts"],
  },
  {
    name: "Git wrapper: programs when it writes",
    file: "src/write-git.ts",
    find: "if (programs)",
    by: "if (command)",
    tests: ["test/write.test.ts"],
  },
  {
    name: "Git of agents: settings of the repository",
    file: "src/reading-git/run-reading-git.ts",
    find: "env: { ...env, ...view.variables },",
    by: "env,",
    tests: ["test/reading-environment.test.ts"],
  },
  {
    name: "Git of agents: another git than the one on PATH",
    file: "src/reading-environment.ts",
    find: "GIT_DIR: noRepository,",
    by: "",
    tests: ["test/reading-environment.test.ts"],
  },
  {
    name: "Git wrapper: paths are paths",
    file: "src/call-git.ts",
    find: 'GIT_LITERAL_PATHSPECS: "1"',
    by: 'GIT_LITERAL_PATHSPECS: "0"',
    tests: ["test/git.test.ts"],
  },
  {
    name: "Git wrapper: repositories that lie elsewhere",
    file: "src/find-repository.ts",
    find: "if (!isOwn)",
    by: "if (false)",
    tests: ["test/outside.test.ts"],
  },
  {
    name: "Git wrapper: repositories that do not name the folder",
    file: "src/find-repository.ts",
    find: "return trees.length > 0 && trees.every((tree) => tree === root)",
    by: "return true",
    tests: ["test/refusal.test.ts"],
  },
  {
    name: "Git wrapper: objects of a new file",
    file: "src/read-new-files.ts",
    find: "GIT_OBJECT_DIRECTORY: objects,",
    by: "",
    tests: ["test/new-files-patch.test.ts"],
  },
];

/** The protections of reading repositories. */
export const gitMutants: readonly Mutant[] = rows.map((row) => ({
  ...row,
  folder: "plugins/git-kit",
}));
