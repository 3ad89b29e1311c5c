import { pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { MAX_URL_LENGTH, toOrigin, toWebUrl } from "../records/texts.ts";

/** Query of the listings of records. */
export const recordQuery = pageQuery.extend({
  q: z.string().max(500).optional(),
});

/** An http or https address; a user name and password in it are dropped. */
export const urlInput = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(
    (text) => toWebUrl(text) !== undefined,
    `must be an http or https address of at most ${MAX_URL_LENGTH} characters, without characters that cannot be seen`,
  )
  .transform((text) => toWebUrl(text) ?? "");

/** Such as `https://example.com`. */
export const originInput = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine(
    (text) => toOrigin(text) !== undefined,
    "must be an origin such as https://example.com",
  )
  .transform((text) => toOrigin(text) ?? "");

/** Text from a page. Invisible characters are removed when it is stored. */
export const pageText = (max: number) => z.string().max(max).default("");

/** The agent that caused the record. */
export const agentIdInput = z
  .string()
  .regex(/^agt_[a-z2-7]{24}$/u, "must be the id of an agent")
  .nullable()
  .default(null);

/** A number of bytes that is an exact integer. */
export const byteCount = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
