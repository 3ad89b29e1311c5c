import * as z from "zod";

const name = z
  .string()
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "is to be kebab-case")
  .max(40);

const args = z.array(z.string().max(4096)).max(64);

const cli = z.strictObject({
  /** `pi`, `claude`, `codex`, `acp`, `terminal`, or a driver that another plugin adds. */
  driver: name,
  /** A name on the PATH or an absolute path. */
  command: z.string().min(1).max(4096),
  /** Arguments that come before those of the driver. */
  args: args.default([]),
  env: z.record(z.string().max(256), z.string().max(32_768)).default({}),
  /** What it reports of spending, where the driver cannot know. */
  cost: z.enum(["usd", "tokens", "none"]).optional(),
  /** Arguments with which it says its version and does nothing else. It is not asked without them. */
  version: args.optional(),
  /**
   * Arguments of its own screen, in place of `args`: for a fresh conversation, and for one that is known, whose id
   * `{session}` stands for.
   */
  screen: z.strictObject({ fresh: args, resume: args }).optional(),
  /** Arguments of its own login, in place of `args`. */
  login: args.optional(),
  /**
   * What makes the CLI ask before it changes something or runs a program, even if its user allows that permanently; `{}`
   * if it always does. A CLI of the `acp` driver without it is refused for runs that only report.
   */
  asksFirst: z
    .strictObject({
      /** Arguments after those above; `{folder}` stands for the folder of the files. */
      args: args.default([]),
      /** Variables beside those above. */
      env: z.record(z.string().max(256), z.string().max(32_768)).default({}),
      /** Files that are written before the start, by their names. */
      files: z
        .record(
          z.string().regex(/^[\w-][\w.-]{0,99}$/, "is to be a plain name"),
          z.string().max(65_536),
        )
        .default({}),
    })
    .optional(),
  /** What it cannot do although its driver could. */
  lacks: z
    .array(z.enum(["resume", "images", "permissions", "clone", "compact"]))
    .max(10)
    .optional(),
  /**
   * Files and folders of a project that it would run something of, in place of those that the driver knows. One that
   * begins with `^` is looked for in the folders above as well.
   */
  trustPaths: z
    .array(
      z
        .string()
        .regex(/^\^?[^/\0][^\0]*$/, "is to be relative to the folder")
        .max(200)
        .refine((path) => !path.split("/").includes(".."), {
          error: "must not lead out of the folder",
        }),
    )
    .max(100)
    .optional(),
});

/** The plugin's section of the configuration. */
export const agentsConfig = z.strictObject({
  /** Agent CLIs by name, beside those that are built in. One of those may be given to change how it is started. */
  clis: z
    .record(name, cli)
    .refine((clis) => !Object.hasOwn(clis, "practice"), {
      error: '"practice" is the daemon\'s own agent; choose another name',
    })
    .default({}),
  /** The CLI of a new agent; the first that is installed if not given. */
  defaultCli: name.optional(),
  /** Where agents without a project folder get theirs. */
  workFolder: z.string().max(4096).optional(),
  limits: z
    .strictObject({
      /** Agents that may be open at once. */
      openAgents: z.number().int().min(1).max(100).default(8),
      /** An agent at rest for so long is closed, so that it costs no memory; it keeps its conversation. */
      idleCloseMs: z
        .number()
        .int()
        .min(1000)
        .max(24 * 60 * 60 * 1000)
        .default(10 * 60 * 1000),
      /** A CLI that has not opened its conversation by then is ended. */
      startMs: z
        .number()
        .int()
        .min(1000)
        .max(10 * 60 * 1000)
        .default(60 * 1000),
      /** Work in the background that gave no sign of life for so long is not waited for any more. */
      silentWorkMs: z
        .number()
        .int()
        .min(1000)
        .max(7 * 24 * 60 * 60 * 1000)
        .default(2 * 60 * 60 * 1000),
      /** A turn that has not ended so long after it was told to stop is ended with its process. */
      abortMs: z
        .number()
        .int()
        .min(100)
        .max(60 * 1000)
        .default(10 * 1000),
    })
    .prefault({}),
});

export type AgentsConfig = z.infer<typeof agentsConfig>;
export type CliConfig = z.infer<typeof cli>;
