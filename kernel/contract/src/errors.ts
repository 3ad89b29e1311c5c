import type { InputIssue } from "./schema.ts";

/** One row of a plugin's error table. */
export interface ErrorDefinition {
  /** HTTP status of the response. */
  status: number;
  /** A short constant title, the same for each occurrence. */
  title: string;
  /**
   * One sentence that names the resource and what to do. Placeholders in braces are filled in:
   * `{id}`. Braces that are part of the text are doubled: `GET /api/notes/{{id}}/parts`.
   */
  detail: string;
}

/** Additional data of one occurrence of an error. */
export interface ErrorExtras {
  /** The underlying error. Logged, never sent. */
  cause?: unknown;
  /** For invalid input: the validation issues. */
  errors?: InputIssue[];
  /** Seconds after which a retry makes sense, sent as `Retry-After`. */
  retryAfter?: number;
  /** Additional headers of the response, such as `allow`. */
  headers?: Readonly<Record<string, string>>;
  /** Additional members of the problem document, such as the id of a task that continues. */
  members?: Record<string, unknown>;
}

/**
 * An error whose message is sent to the client. Anything else that is thrown becomes a 500 with only a request id. Each bundle has
 * its own copy of this class, so check {@link isGantryError} and `code`, never `instanceof`.
 */
export class GantryError extends Error {
  /** `AREA_REASON`, unique among all plugins. */
  readonly code: string;
  /** HTTP status of the response. */
  readonly status: number;
  readonly title: string;
  readonly extras: ErrorExtras;

  constructor(
    code: string,
    definition: ErrorDefinition,
    detail: string,
    extras: ErrorExtras = {},
  ) {
    super(detail, { cause: extras.cause });
    this.name = "GantryError";
    this.code = code;
    this.status = definition.status;
    this.title = definition.title;
    this.extras = extras;
  }
}

/** Checks whether a thrown value is an error of an error table, from any bundle. */
export function isGantryError(error: unknown): error is GantryError {
  return (
    error instanceof Error &&
    error.name === "GantryError" &&
    typeof (error as GantryError).code === "string"
  );
}

/** A value for a placeholder. The items of a list are joined with commas. */
export type ErrorValue =
  string | number | boolean | bigint | readonly (string | number)[];

/** Characters that no placeholder has, so that JSON in a detail is text. */
type NoNameCharacter =
  "{" | '"' | "'" | " " | ":" | "," | "." | "-" | "/" | "$";

type PlaceholderNames<Detail extends string> =
  Detail extends `${string}{${infer Name}}${infer Rest}`
    ? | (Name extends `${string}${NoNameCharacter}${string}` ? never : Name)
      | PlaceholderNames<Rest>
    : never;

/** The placeholders of a detail, by name: `{ id: ErrorValue }` for `"There is no note {id}."`. */
export type ErrorValues<Detail extends string> = {
  readonly [Name in PlaceholderNames<Detail>]: ErrorValue;
};

/**
 * Creates an error with exactly the placeholders of its detail; one without any takes no values. A detail that is only known as
 * `string` takes any.
 */
export type ErrorFactory<Detail extends string = string> = string extends Detail
  ? (
      values?: Readonly<Record<string, unknown>>,
      extras?: ErrorExtras,
    ) => GantryError
  : [PlaceholderNames<Detail>] extends [never]
    ? (
        values?: Readonly<Record<string, never>>,
        extras?: ErrorExtras,
      ) => GantryError
    : (values: ErrorValues<Detail>, extras?: ErrorExtras) => GantryError;

/** The result of {@link defineErrors}: one function per code, and the definitions for the reference. */
export type ErrorTable<Definitions extends Record<string, ErrorDefinition>> = {
  readonly [Code in keyof Definitions]: ErrorFactory<
    Definitions[Code]["detail"]
  >;
} & { readonly definitions: Readonly<Definitions> };

/**
 * Declares a plugin's error table. A code is `AREA_REASON`; once released it is never renamed or reused. The functions are typed:
 * each needs exactly the placeholders of its `detail`.
 *
 * @example
 * export const errors = defineErrors({
 *   NOTE_NOT_FOUND: { status: 404, title: "No such note", detail: "There is no note {id}; list them with GET /api/notes." },
 * });
 * throw errors.NOTE_NOT_FOUND({ id });
 *
 * @throws TypeError if a code is not upper snake case with at least two words.
 */
export function defineErrors<
  const Definitions extends Record<string, ErrorDefinition>,
>(definitions: Definitions): ErrorTable<Definitions> {
  const table: Record<string, unknown> = { definitions };
  for (const [code, definition] of Object.entries(definitions)) {
    if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(code)) {
      throw new TypeError(
        `Error code "${code}" is not of the form AREA_REASON.`,
      );
    }
    table[code] = (
      values: Record<string, unknown> = {},
      extras?: ErrorExtras,
    ) =>
      new GantryError(
        code,
        definition,
        fillDetail(definition.detail, values),
        extras,
      );
  }
  return table as ErrorTable<Definitions>;
}

function fillDetail(template: string, values: Record<string, unknown>): string {
  return template.replace(
    /\{(\{\w+\})\}|\{(\w+)\}/g,
    (whole, literal: string | undefined, name: string) => {
      if (literal !== undefined) return literal;
      const value = Object.hasOwn(values, name) ? values[name] : whole;
      return Array.isArray(value) ? value.join(", ") : String(value);
    },
  );
}
