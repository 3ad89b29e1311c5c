/**
 * Version of everything that this package exports. It grows only when an export is changed or taken away, which breaks
 * plugins that were built before; a new export leaves it as it is.
 */
export const kitVersion = 1;
