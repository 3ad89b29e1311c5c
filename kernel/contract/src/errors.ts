import type { PlaceholderName } from "./placeholder-name.ts";
import type { InputIssue } from "./schema.ts";

/** One row of a plugin's error table. */
export interface ErrorDefinition {
  /** HTTP status that a client gets. */
  status: number;
  /** A few constant words, the same for each occurrence. */
  title: string;
  /**
   * One sentence that names the thing and the way out. Named values in braces are filled in: `{id}`. Each call has to give
   * exactly these, by type too unless the text is computed.
   */
  detail: string;
}

/** What an occurrence of an error may carry beside its table row. */
export interface ErrorExtras {
  /** The fault behind it. Logged, never sent. */
  cause?: unknown;
  /** For bad input: each thing that is wrong. */
  errors?: InputIssue[];
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  retryAfter?: number;
  /** Further headers of the answer, such as `allow`. */
  headers?: Readonly<Record<string, string>>;
  /** Further members of the problem document, such as the id of a task that continues. */
  members?: Record<string, unknown>;
}

/**
 * An error that a client may see. Anything else that is thrown becomes a 500 with nothing but a request id.
 * Two bundles hold two copies of this class: test for {@link isGantryError} and `code`, never `instanceof`.
 */
export class GantryError extends Error {
  /** `AREA_REASON`, its key in the table. */
  readonly code: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** A few constant words; `message` has the filled detail. */
  readonly title: string;
  /** What the call gave beside the values, `{}` if nothing. */
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

/** Tells whether a thrown value came from some plugin's error table, whichever bundle made it. */
export function isGantryError(error: unknown): error is GantryError {
  return (
    error instanceof Error &&
    error.name === "GantryError" &&
    typeof (error as GantryError).code === "string"
  );
}

/** What may stand in a detail. The items of a list are joined by commas. */
export type ErrorValue = string | number | readonly (string | number)[];

/** The values that a detail needs, by their names. Any, if only `string` is known of the detail. */
export type ErrorValues<Detail extends string> = string extends Detail
  ? Readonly<Record<string, ErrorValue>>
  : { readonly [Name in PlaceholderName<Detail>]: ErrorValue };

/** Makes an error of one code. The values may be left out if the detail needs none. */
export type ErrorFactory<Detail extends string = string> = (
  ...args: string extends Detail
    ? [values?: ErrorValues<Detail>, extras?: ErrorExtras]
    : [PlaceholderName<Detail>] extends [never]
      ? [values?: Readonly<Record<string, never>>, extras?: ErrorExtras]
      : [values: ErrorValues<Detail>, extras?: ErrorExtras]
) => GantryError;

/** The table that {@link defineErrors} made, with one function a code. */
export type ErrorTable<Definitions extends Record<string, ErrorDefinition>> = {
  readonly [Code in keyof Definitions]: ErrorFactory<
    Definitions[Code]["detail"]
  >;
} & { readonly definitions: Readonly<Definitions> };

/**
 * Declares a plugin's table of errors. A code is `AREA_REASON`; once released it is never renamed or reused.
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
      values: Readonly<Record<string, ErrorValue>> = {},
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

function fillDetail(
  template: string,
  values: Readonly<Record<string, ErrorValue>>,
): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : whole;
    return Array.isArray(value) ? value.join(", ") : String(value);
  });
}

/** The error for input that no schema checks, such as a header. That for what a schema refuses is made by the daemon. */
export const inputErrors = defineErrors({
  INPUT_INVALID: {
    status: 400,
    title: "Invalid input",
    detail: "The {part} does not fit: {summary}.",
  },
});
