import type {
  StandardJSONSchemaV1,
  StandardSchemaV1,
} from "@standard-schema/spec";

/**
 * A schema that both validates and describes itself: Standard Schema and Standard JSON Schema in one object.
 * zod 4 schemas are such; so one record is the check at run time and the page in the OpenAPI document.
 *
 * @see https://standardschema.dev
 */
export interface Schema<Output = unknown, Input = unknown> {
  /** Validates, and converts to JSON Schema, as the two specifications define. */
  readonly "~standard": StandardSchemaV1.Props<Input, Output> &
    StandardJSONSchemaV1.Props<Input, Output>;
}

/** What a schema gives back for valid input. */
export type SchemaOutput<S> = S extends Schema<infer Output> ? Output : never;

/** One thing wrong with an input: where (dotted path, empty for the whole) and what was expected. */
export interface InputIssue {
  /** Dotted path of the value, such as `items.0.title`; empty for the whole input. */
  path: string;
  /** What is wrong with the value, in the words of the schema library. */
  message: string;
}
