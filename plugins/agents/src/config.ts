import * as z from "zod";

const name = z
  .string()
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "is to be kebab-case")
  .max(40);

const args = z.array(z.string().max(4096)).max(64);

const cli = z.strictObject({
  /** `terminal`, or a driver that another plugin adds. */
  driver: name,
  /** A name on the PATH or an absolute path. */
  command: z.string().min(1).max(4096),
  /** Arguments that come before those of the driver. */
  args: args.default([]),
  env: z.record(z.string().max(256), z.string().max(32_768)).default({}),
  /** What it reports of spending, if the driver cannot know. */
  cost: z.enum(["usd", "tokens", "none"]).optional(),
  /** Arguments with which it prints its version and does nothing else. Without them, it is not run for its version. */
  version: args.optional(),
  /**
   * Arguments of its own screen, in place of `args`: for a new conversation, and to resume one, whose id replaces
   * `{session}`.
   */
  screen: z.strictObject({ fresh: args, resume: args }).optional(),
  /** Arguments of its own login, in place of `args`. */
  login: args.optional(),
  /**
   * Settings that make the CLI ask before it changes something or runs a program, even if its user allows that
   * permanently; `{}` if it always asks. Without it, report-only runs refuse a CLI of the `acp` driver.
   */
  asksFirst: z
    .strictObject({
      /** Arguments after those above; the folder of the files replaces `{folder}`. */
      args: args.default([]),
      /** Variables in addition to those above. */
      env: z.record(z.string().max(256), z.string().max(32_768)).default({}),
      /** Contents of files to write before the start, by file name. */
      files: z
        .record(
          z.string().regex(/^[\w-][\w.-]{0,99}$/, "is to be a plain name"),
          z.string().max(65_536),
        )
        .default({}),
    })
    .optional(),
  /** Capabilities that its driver has and the CLI lacks. */
  lacks: z
    .array(z.enum(["resume", "images", "permissions", "clone", "compact"]))
    .max(10)
    .optional(),
  /**
   * Files and folders of a project that it would run something of, in place of those that the driver knows. A path that
   * begins with `^` is also looked up in the parent folders.
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
  /** Agent CLIs by name, in addition to those of plugins. The name of a plugin's CLI changes how that one is started. */
  clis: z.record(name, cli).default({}),
  /** The CLI of a new agent; the first installed one if not given. */
  defaultCli: name.optional(),
  /** Parent of the folders that are created for agents without a project. */
  workFolder: z.string().max(4096).optional(),
  limits: z
    .strictObject({
      /** Agents that may be open at once. */
      openAgents: z.number().int().min(1).max(100).default(8),
      /** Closes an agent that has been idle this long, to free its memory. It keeps its conversation. */
      idleCloseMs: z
        .number()
        .int()
        .min(1000)
        .max(24 * 60 * 60 * 1000)
        .default(10 * 60 * 1000),
      /** Ends a CLI that has not opened its conversation in this time. */
      startMs: z
        .number()
        .int()
        .min(1000)
        .max(10 * 60 * 1000)
        .default(60 * 1000),
      /** Ends the process of a turn that has not stopped this long after a stop was requested. */
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
