"""Pages: routes, HTML, and the middleware of all requests.

`routing` calls route functions with the arguments that their parameters name, such as services. `templating` renders
templates. A `FormPage` shows the errors of its routes.

Several modules make the page of a table. `table` has the routes, and `table_page` the content. `table_layout` arranges
the columns, and `table_renderer` renders the fragments. `table_notices` adds chat and rematches to the stream.
"""
