export { createGit } from "./create-git.ts";
export type { GitHost } from "./create-git.ts";
export { gitErrors } from "./errors.ts";
export type {
  Git,
  GitCommand,
  GitOptions,
  GitPrograms,
  GitResult,
  GitSetting,
  GitWriteCommand,
  GitWriteOptions,
} from "./git.ts";
export { planReadingGit } from "./plan-reading-git.ts";
export type { ReadingGitCall } from "./plan-reading-git.ts";
export { createPrivateGit } from "./private-git.ts";
export type {
  PrivateGit,
  PrivateGitCommand,
  PrivateGitOptions,
  PrivatePlaces,
} from "./private-git.ts";
export { createReadingEnvironment } from "./reading-environment.ts";
export type { ReadingEnvironmentOptions } from "./reading-environment.ts";
