/** The names in a path literal: `"id" | "part"` for `/api/notes/{id}/parts/{part}`, `never` for a path without any. */
export type PathParameterNames<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}`
    ? Name | PathParameterNames<Rest>
    : never;

/**
 * The parameters of a path literal: `{ id: string }` for `/api/notes/{id}`. A path that is only known as `string` gives a record
 * in which any name may be missing.
 */
export type PathParameters<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in PathParameterNames<Path>]: string };
