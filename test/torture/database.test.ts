import { shortForms } from './short.ts';

shortForms('database');
