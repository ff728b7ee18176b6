"""What any result is: the forms it has, and the means that views make them with."""
