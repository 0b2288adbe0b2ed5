/** The bundler gathers styles that are imported. */
declare module '*.css' {}
