// Stands for the types of packages that other packages mention and nothing here uses, such as a test runner's optional
// environments: reading them takes up to a third of the time of a type check.
export {};
